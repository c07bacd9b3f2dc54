// Every function that XSched handles itself, as api/<p>.json says: which template of the platform's shapes.h its hook
// is. An argument list that does not fit the template does not compile.
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
