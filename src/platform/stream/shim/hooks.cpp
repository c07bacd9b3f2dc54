// Instantiates a hook for every function that XSched handles (api/<p>.json), from the templates of the platform's
// shapes.h. An argument list that does not fit its template does not compile.
#include "platform/stream/shim/entry_points.h"
#include "shapes.h"

namespace xsched::stream {

void* hook_of(uint32_t entry) {
    switch (entry) {
#define HOOK(name, shape)                                                   \
    case kEntry_##name: {                                                   \
        constexpr declared::name kHook = shape<kEntry_##name>;              \
        return reinterpret_cast<void*>(from_program<kEntry_##name, kHook>); \
    }
#include "entry_points.inc"
        default: return nullptr;
    }
}

}  // namespace xsched::stream
