// The driver's functions for one device, as they are below XSched's layer.
#pragma once

#include <vulkan/vulkan_core.h>

namespace xsched::vulkan {

// The functions that XSched itself calls (api/vulkan.json). Those of newer versions may be an extension's.
struct VkApi {
#define NEEDED(name) PFN_##name name = nullptr;
#include "functions.inc"
};

// Returns false if a function is missing, without which nothing can be scheduled.
inline bool complete(const VkApi& api) {
#define NEEDED(name) \
    if (api.name == nullptr) return false;
#include "functions.inc"
    return true;
}

}  // namespace xsched::vulkan
