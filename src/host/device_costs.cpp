#include "host/device_costs.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace xsched::host {
namespace {

constexpr double kMostUs = 10'000;  // safety: a cost beyond that is no cost of a switch or a call
constexpr uintmax_t kMostBytes = 64 << 10;  // safety

bool is_cost(const nlohmann::json& value) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMostUs;
}

}  // namespace

std::string device_costs_path() {
    const char* state = getenv("XDG_STATE_HOME");
    const char* home = getenv("HOME");
    if (state != nullptr && *state == '/') return std::string(state) + "/xsched/device.json";
    if (geteuid() == 0) return "/var/lib/xsched/device.json";
    return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/xsched/device.json" : "";
}

double DeviceCosts::of(const std::string& name) const {
    const auto found = us.find(name);
    return found != us.end() ? found->second : 0;
}

std::string read_device_costs(const std::string& path, DeviceCosts& costs) {
    std::error_code error;
    if (path.empty() || !std::filesystem::exists(path, error)) return "";
    if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMostBytes)
        return path + " is no file that xcli doctor --run has written";
    std::ifstream file(path);
    const nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
    if (!read.is_object() || !read.contains("device") || !read["device"].is_object())
        return path + " is no file that xcli doctor --run has written";
    DeviceCosts found;
    for (const auto& [name, value] : read["device"].items()) {
        if (!is_cost(value)) return path + ": " + name + " = " + value.dump() + " is no time of 0 to 10000 us";
        found.us[name] = value.get<double>();
    }
    const auto text = [&](const char* key) {
        return read.contains(key) && read[key].is_string() ? read[key].get<std::string>() : std::string();
    };
    found.device = text("name");
    found.measured = text("measured");
    costs = std::move(found);
    return "";
}

std::string write_device_costs(const std::string& path, const DeviceCosts& costs) {
    if (path.empty()) return "there is no home folder to keep the costs in";
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    const std::string fresh = path + ".new";
    std::ofstream file(fresh);
    file << nlohmann::json{{"name", costs.device}, {"measured", costs.measured}, {"device", costs.us}}.dump(2) << '\n';
    file.close();
    if (file && rename(fresh.c_str(), path.c_str()) == 0) return "";
    return path + " cannot be written: " + strerror(errno);
}

}  // namespace xsched::host
