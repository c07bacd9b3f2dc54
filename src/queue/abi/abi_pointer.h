// The C functions of queue_abi.h take this for a queue: the address of a pooled object with the low bits of its
// generation on top (user addresses have 47 or 48 bits). A shim that keeps one after XQueueDestroy is let through, not
// led to the object's next owner.
#pragma once

#include "queue/xqueue.h"

namespace xsched::queue {

inline constexpr unsigned kPointerAddressBits = 48;

// Returns the pointer for the queue, valid as long as the object is this queue.
inline XqQueue* abi_pointer(const XQueue& queue) {
    return reinterpret_cast<XqQueue*>(reinterpret_cast<uint64_t>(&queue) |
                                      (uint64_t{static_cast<uint16_t>(queue.generation())} << kPointerAddressBits));
}

// Returns the queue; null if it is gone.
inline XQueue* of_pointer(XqQueue* pointer) {
    const auto bits = reinterpret_cast<uint64_t>(pointer);
    auto* queue = reinterpret_cast<XQueue*>(bits & ((uint64_t{1} << kPointerAddressBits) - 1));
    const bool current =
        queue != nullptr && queue->in_use() &&
        static_cast<uint16_t>(queue->generation()) == static_cast<uint16_t>(bits >> kPointerAddressBits);
    return current ? queue : nullptr;
}

}  // namespace xsched::queue
