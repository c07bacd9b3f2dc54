// Every Vulkan function that XSched handles itself, as api/vulkan.json says: which template of shapes.h its hook is. A
// signature that does not fit Vulkan's own does not compile.
#include <cstring>

#include "platform/vulkan/shim/shapes.h"

namespace xsched::vulkan {

PFN_vkVoidFunction hook_named(const char* name) {
#define HOOK(function, shape, ...)                                      \
    if (std::strcmp(name, #function) == 0) {                            \
        const PFN_##function hook = shape<Declared<kEntry_##function>>; \
        return reinterpret_cast<PFN_vkVoidFunction>(hook);              \
    }
#include "entry_points.inc"
    return nullptr;
}

}  // namespace xsched::vulkan
