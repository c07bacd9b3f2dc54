// JSON, as the API server speaks it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace xsched::kubernetes {

using Json = nlohmann::json;

inline constexpr const char* kDriver = "gpu.xsched.io";
inline constexpr int64_t kWholeShare = 100;  // a device's capacity "share" is counted in percent (docs/KUBERNETES.md)

// Returns the object at that path, such as "/status/allocation"; an empty one if there is none.
inline const Json& object_at(const Json& object, const char* path) {
    static const Json nothing = Json::object();
    const Json::json_pointer place(path);
    return object.contains(place) ? object[place] : nothing;
}

}  // namespace xsched::kubernetes
