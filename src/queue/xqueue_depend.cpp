// XQueue, priority inheritance: a queue that more urgent ones wait for is as urgent as they are until it is done.
// Locks are taken one at a time, never two: waits may form any graph.
#include "queue/xqueue.h"

#include <algorithm>

namespace xsched::queue {
namespace {

constexpr unsigned kDeepest = 16;  // waits may run in a circle of which only parts are still open

}  // namespace

// mutex_ held.
int32_t XQueue::urgency() const {
    const ipc::QueueSlot& slot = *placement_.slot;
    const int32_t own = slot.priority.load(std::memory_order_relaxed);
    const bool boosted = ipc::completed_commands(slot) < slot.boost_until.load(std::memory_order_relaxed);
    return boosted ? std::max(own, slot.boost_priority.load(std::memory_order_relaxed)) : own;
}

// mutex_ held. The newest waits are kept; an older one for the same queue gives its place.
void XQueue::remember_wait(const Wait& wait) {
    for (Wait& kept : waits_) {
        if (kept.producer != wait.producer) continue;
        kept = wait;
        return;
    }
    waits_[next_wait_++ % kMostWaits] = wait;
}

void XQueue::depend(XQueue& producer) {
    Wait wait{&producer, 0, 0};
    {
        base::Lock lock(producer.mutex_);
        if (!producer.in_use() || producer.submitted_ == ipc::completed_commands(*producer.placement_.slot)) return;
        wait.generation = producer.generation();
        wait.until = producer.submitted_;
    }
    int32_t urgent = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        remember_wait(wait);
        urgent = urgency();
    }
    producer.boost(urgent, wait.generation, wait.until, 0);
}

void XQueue::boost_producers() {
    Wait waits[kMostWaits];
    int32_t urgent = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        std::copy(std::begin(waits_), std::end(waits_), waits);
        urgent = urgency();
    }
    for (const Wait& wait : waits)
        if (wait.producer != nullptr) wait.producer->boost(urgent, wait.generation, wait.until, 0);
}

void XQueue::boost(int32_t urgent, uint32_t generation, uint64_t until, unsigned depth) {
    Wait waits[kMostWaits];
    {
        base::Lock lock(mutex_);
        if (!in_use() || generation_ != generation || depth > kDeepest) return;
        ipc::QueueSlot& slot = *placement_.slot;
        if (ipc::completed_commands(slot) >= until || urgency() >= urgent) return;
        slot.boost_priority.store(urgent, std::memory_order_relaxed);
        slot.boost_until.store(std::max(until, slot.boost_until.load(std::memory_order_relaxed)),
                               std::memory_order_release);
        ipc::ring_doorbell(*placement_.header);
        std::copy(std::begin(waits_), std::end(waits_), waits);
    }
    for (const Wait& wait : waits)
        if (wait.producer != nullptr) wait.producer->boost(urgent, wait.generation, wait.until, depth + 1);
}

}  // namespace xsched::queue
