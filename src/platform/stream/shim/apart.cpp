#include "platform/stream/shim/apart.h"

#include "platform.h"
#include "platform/stream/shim/sharing.h"
#include "platform/stream/shim/streams.h"

namespace xsched::stream {

void tell_who_is_apart() {
    for_each_entry([](const StreamEntry& entry) {
        bool apart = queues_observed() && !streams_move() && entry.hardware.known();
        for_each_entry([&](const StreamEntry& other) {
            if (&other == &entry || !apart) return;
            if (entry.context.load(std::memory_order_relaxed) == other.context.load(std::memory_order_relaxed))
                apart = !may_share(entry, other);
        });
        if (XqQueue* xqueue = entry.xqueue.load(std::memory_order_acquire)) xq_set_apart(xqueue, apart);
    });
}

}  // namespace xsched::stream
