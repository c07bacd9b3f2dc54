// Every OpenCL function that XSched handles itself, as api/opencl.json says: which template of shapes.h its hook is. A
// signature that does not fit the vendor's own does not compile.
#include "platform/opencl/shim/guards.h"
#include "platform/opencl/shim/shapes.h"

namespace xsched::opencl {

void* hook_of(uint32_t entry) {
    if (void* hook = guard_hook_of(entry)) return hook;
    switch (entry) {
#define HOOK(name, shape, ...)                                                                                  \
    case kEntry_##name: {                                                                                       \
        const decltype(cl_icd_dispatch::name) hook = shape<Declared<kEntry_##name> __VA_OPT__(, ) __VA_ARGS__>; \
        return reinterpret_cast<void*>(hook);                                                                   \
    }
#include "entry_points.inc"
        default: return nullptr;
    }
}

}  // namespace xsched::opencl
