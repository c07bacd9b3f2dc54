// A slot's hints: all at once, or one that somebody changes. Values are as they are kept (base/hints.h). Any thread.
#pragma once

#include "base/hints.h"
#include "ipc/layout.h"

namespace xsched::ipc {

// As they are: their writer is not trusted.
inline base::Hints load_hints(const QueueSlot& slot) {
    base::Hints hints;
#define XSCHED_HINT(field, ...) hints.field = slot.field.load(std::memory_order_relaxed);
#include "base/hints.def"
#undef XSCHED_HINT
    return hints;
}

inline void store_hints(QueueSlot& slot, const base::Hints& hints) {
#define XSCHED_HINT(field, ...) slot.field.store(hints.field, std::memory_order_relaxed);
#include "base/hints.def"
#undef XSCHED_HINT
}

// `kept` is within the hint's range.
inline void store_hint(QueueSlot& slot, base::HintId id, int64_t kept) {
    switch (id) {
#define XSCHED_HINT(field, type, ...) \
    case base::HintId::field: slot.field.store(static_cast<type>(kept)); break;
#include "base/hints.def"
#undef XSCHED_HINT
    }
}

}  // namespace xsched::ipc
