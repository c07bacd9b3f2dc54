// Reads and writes the hints of a slot, all at once or one of them. Values are in stored form (base/hints.h). Times are
// by the server's clock unless a function says that they are by the client's. Any thread.
#pragma once

#include "base/hints.h"
#include "ipc/client_clock.h"
#include "ipc/layout.h"

namespace xsched::ipc {

// Returns the slot's hints unchecked: do not trust them.
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

// Stores one hint. `kept` must be within the hint's range.
inline void store_hint(QueueSlot& slot, base::HintId id, int64_t kept) {
    switch (id) {
#define XSCHED_HINT(field, type, ...) \
    case base::HintId::field: slot.field.store(static_cast<type>(kept)); break;
#include "base/hints.def"
#undef XSCHED_HINT
    }
}

constexpr uint32_t bit_of(base::HintId id) { return 1U << static_cast<unsigned>(id); }

// Stores a hint for queues that the client makes later.
inline void store_default(Header& header, base::HintId id, int64_t kept) {
    header.rule_hints.fetch_and(~bit_of(id), std::memory_order_relaxed);
    switch (id) {
#define XSCHED_HINT(field, type, ...) \
    case base::HintId::field: header.default_##field.store(static_cast<type>(kept)); break;
#include "base/hints.def"
#undef XSCHED_HINT
    }
    header.default_hints.fetch_or(bit_of(id), std::memory_order_release);
}
// Stores a hint that a rule of the configuration gives to queues that the client makes later. Call this before the
// client has the header.
inline void store_rule(Header& header, base::HintId id, int64_t kept) {
    store_default(header, id, kept);
    header.rule_hints.fetch_or(bit_of(id), std::memory_order_release);
}

// Converts times from the client's own clock to the server's, and back.
inline base::Hints by_server_time(const Header& header, base::Hints hints) {
    for (const base::HintInfo& hint : base::kHints)
        if (hint.kind == base::HintKind::kTime)
            base::set_hint(hints, hint.id, server_time(header, base::get_hint(hints, hint.id)));
    return hints;
}
inline base::Hints by_own_time(const Header& header, base::Hints hints) {
    for (const base::HintInfo& hint : base::kHints)
        if (hint.kind == base::HintKind::kTime)
            base::set_hint(hints, hint.id, own_time(header, base::get_hint(hints, hint.id)));
    return hints;
}

// Replaces those hints for which a person set a default, and those for which a rule has one and the program none.
// `told`: a bit for each hint that the program or its environment has told.
inline void take_defaults(const Header& header, base::Hints& hints, uint32_t told) {
    const uint32_t given = header.default_hints.load(std::memory_order_acquire) &
                           ~(header.rule_hints.load(std::memory_order_acquire) & told);
#define XSCHED_HINT(field, ...)                     \
    if ((given & bit_of(base::HintId::field)) != 0) \
        hints.field = header.default_##field.load(std::memory_order_relaxed);
#include "base/hints.def"
#undef XSCHED_HINT
}

// Copies a person's defaults from one header to another, except those that the other already has. Rules are not copied:
// each server has its own. Client side.
inline void carry_defaults(const Header& from, Header& to) {
    base::Hints hints;
    take_defaults(from, hints, 0);
    hints = by_server_time(to, by_own_time(from, hints));
    const auto of_person = [](const Header& header) {
        return header.default_hints.load(std::memory_order_acquire) &
               ~header.rule_hints.load(std::memory_order_acquire);
    };
    const uint32_t given = of_person(from) & ~of_person(to);
    for (const base::HintInfo& hint : base::kHints)
        if ((given & bit_of(hint.id)) != 0) store_default(to, hint.id, base::get_hint(hints, hint.id));
    const auto carry = [](const std::atomic<uint32_t>& old, std::atomic<uint32_t>& now) {
        if (now.load() == 0) now.store(old.load());
    };
    carry(from.default_level, to.default_level);
    carry(from.default_threshold, to.default_threshold);
    carry(from.default_batch_size, to.default_batch_size);
}

}  // namespace xsched::ipc
