// A device's name for people, from an answer of the server. Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace xsched::cli {

// Returns, for example, "device 0, NVIDIA H100 (cuda)", or "GPU:1f (cuda)" where neither number nor name is known.
inline std::string device_called(const nlohmann::json& device) {
    const std::string name = device.value("device_name", "");
    const std::string shown =
        (name.empty() ? device.value("device", "") : name) + " (" + device.value("platform", "") + ")";
    const nlohmann::json number = device.value("device_index", nlohmann::json());
    return number.is_number() ? "device " + number.dump() + ", " + shown : shown;
}

}  // namespace xsched::cli
