// Active window first: see README.md.
#include <algorithm>
#include <vector>

#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Awf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        active_.clear();
        for (const Unit& unit : units)
            if (unit.window != 0) active_.push_back(unit.process);
        if (active_.empty()) return 0;
        std::sort(active_.begin(), active_.end());
        run_largest(units, choices,
                    [&](size_t i) { return std::binary_search(active_.begin(), active_.end(), units[i].process); });
        return 0;
    }

    bool rank(std::span<const Unit> units, std::span<int32_t> urgency) const override {
        for (size_t i = 0; i < units.size(); ++i)
            urgency[i] = std::binary_search(active_.begin(), active_.end(), units[i].process) ? 1 : 0;
        return true;
    }

private:
    std::vector<uint64_t> active_;  // processes that own the active window
};

}  // namespace

XSCHED_POLICY(Awf, "AWF", kPolicyActiveWindowFirst, bits_of(base::HintId::window),
              "active window first: while the program that one works with has work, only it runs on its devices");

}  // namespace xsched::policy
