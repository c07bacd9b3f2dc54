// Every Level Zero function that XSched handles itself, as api/levelzero.json says: which template of shapes.h its hook
// is. A signature that does not fit the vendor's own does not compile.
#include "platform/levelzero/shim/shapes.h"

namespace xsched::levelzero {

void* hook_of(uint32_t entry) {
    switch (entry) {
#define HOOK(name, shape, ...)                                      \
    case kEntry_##name: {                                           \
        const declared::name hook = shape<Declared<kEntry_##name>>; \
        return reinterpret_cast<void*>(hook);                       \
    }
#include "entry_points.inc"
        default: return nullptr;
    }
}

}  // namespace xsched::levelzero
