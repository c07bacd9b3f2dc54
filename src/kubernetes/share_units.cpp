#include "kubernetes/share_units.h"

#include <algorithm>

#include "kubernetes/json.h"

namespace xsched::kubernetes {
namespace {

constexpr const char* kBetween = "::";

std::string gpu_of(const std::string& unit) { return unit.substr(0, unit.find(kBetween)); }

// Returns the GPU from which the units are to be taken; "" if none has enough.
std::string chosen_gpu(const std::vector<std::string>& available, const std::vector<std::string>& must, size_t size) {
    if (!must.empty()) return gpu_of(must.front());
    std::string chosen;
    size_t left = 0;
    for (const auto& [gpu, count] : by_gpu(available))
        if (count >= size && (chosen.empty() || count < left)) {
            chosen = gpu;
            left = count;
        }
    return chosen;
}

}  // namespace

std::vector<std::string> units_of(const std::string& gpu) {
    std::vector<std::string> units;
    for (int64_t unit = 0; unit < kWholeShare; ++unit) units.push_back(gpu + kBetween + std::to_string(unit));
    return units;
}

std::map<std::string, size_t> by_gpu(const std::vector<std::string>& units) {
    std::map<std::string, size_t> counts;
    for (const std::string& unit : units) ++counts[gpu_of(unit)];
    return counts;
}

std::vector<std::string> preferred_units(const std::vector<std::string>& available,
                                         const std::vector<std::string>& must, size_t size) {
    const std::string gpu = chosen_gpu(available, must, size);
    std::vector<std::string> units = must;
    const auto add = [&](bool of_chosen) {
        for (const std::string& unit : available)
            if (units.size() < size && (gpu_of(unit) == gpu) == of_chosen &&
                std::find(units.begin(), units.end(), unit) == units.end())
                units.push_back(unit);
    };
    add(true);
    add(false);  // kubelet takes no answer of fewer
    return units;
}

}  // namespace xsched::kubernetes
