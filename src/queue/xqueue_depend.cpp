// XQueue, priority inheritance: while a more urgent queue of the process waits on the device for a less urgent one,
// every queue of the process that has work counts as at least as urgent, until what it has now is done. All of them,
// since what the producer in turn waits for is not always visible from here (a value the program itself writes, the
// implicit waits of CUDA's legacy stream). Locks are taken one at a time.
#include "queue/pool.h"
#include "queue/xqueue.h"

#include <algorithm>

namespace xsched::queue {

namespace {

// As ipc::Header::driver_calls.
std::atomic<uint32_t> g_driver_calls{0};
constexpr uint32_t kOneReturned = 1u << 16;

}  // namespace

void forget_driver_calls() { g_driver_calls.store(0, std::memory_order_seq_cst); }

// mutex_ held. The priority, with the boost if it still holds.
int32_t XQueue::urgency() const {
    const ipc::QueueSlot& slot = *placement_.slot;
    const int32_t own = slot.priority.load(std::memory_order_relaxed);
    const bool boosted = ipc::completed_commands(slot) < slot.boost_until.load(std::memory_order_relaxed);
    return boosted ? std::max(own, slot.boost_priority.load(std::memory_order_relaxed)) : own;
}

// True: it was boosted.
bool XQueue::boost(int32_t urgent) {
    base::Lock lock(mutex_);
    if (!in_use()) return false;
    ipc::QueueSlot& slot = *placement_.slot;
    const bool has_work = submitted_ != ipc::completed_commands(slot);
    if (!has_work || slot.priority.load(std::memory_order_relaxed) >= urgent || urgency() > urgent) return false;
    slot.boost_priority.store(urgent, std::memory_order_relaxed);
    slot.boost_until.store(submitted_, std::memory_order_release);
    return true;
}

void XQueue::depend(XQueue& producer) {
    int32_t urgent = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        urgent = urgency();
    }
    bool any = producer.boost(urgent);
    if (!any) {
        base::Lock lock(producer.mutex_);
        any = producer.in_use() && producer.submitted_ != ipc::completed_commands(*producer.placement_.slot);
    }
    if (!any) return;  // nothing to wait for
    for (uint32_t i = 0; i < pool_size(); ++i)
        if (XQueue* queue = queue_at(i); queue != nullptr && queue != this) queue->boost(urgent);
    ipc::ring_doorbell(*header());
}

// The process's memory may be another one meanwhile: each change writes the whole number again. Of two threads the one
// that writes last may have the older number: it looks once more.
void XQueue::driver_call(bool begins) {
    const uint32_t change = begins ? 1 : kOneReturned - 1;
    uint32_t now = g_driver_calls.fetch_add(change, std::memory_order_seq_cst) + change;
    ipc::Header* header = this->header();
    if (header == nullptr) return;
    for (;;) {
        header->driver_calls.store(now, std::memory_order_seq_cst);
        const uint32_t newest = g_driver_calls.load(std::memory_order_seq_cst);
        if (newest == now) return;
        now = newest;
    }
}

}  // namespace xsched::queue
