#include "queue/inherit_priority.h"

#include "queue/pool.h"

namespace xsched::queue {
namespace {

constexpr int kMostRounds = 3;  // most rounds; after them the scheduler's limit for units without progress has to
                                // suffice

}  // namespace

// Gives the consumer's priority to every queue of the process that has work, not to the producer alone. The work that
// the producer in turn waits for is not always visible (a value that the program writes, the implicit waits of CUDA's
// legacy stream). Locks are taken one at a time.
void inherit_priority(XQueue& consumer, XQueue& producer) {
    int32_t priority = 0;
    if (!consumer.priority(&priority) || !producer.has_work()) return;
    // While this runs, other threads launch, and a queue's new command may wait for a command of another queue
    // visited earlier. So several rounds are made over all queues.
    bool more = true;
    for (int round = 0; round < kMostRounds && more; ++round) {
        more = false;
        for (uint32_t i = 0; i < pool_size(); ++i)
            if (XQueue* queue = queue_at(i); queue != nullptr && queue != &consumer)
                more = queue->inherit(priority) || more;
    }
    ipc::ring_doorbell(*consumer.header());
}

void share_hardware(XQueue& consumer, XQueue& producer) {
    int32_t priority = 0;
    if (!consumer.priority(&priority) || !producer.keep_short_for(priority)) return;
    inherit_priority(consumer, producer);
}

}  // namespace xsched::queue
