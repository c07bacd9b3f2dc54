// XQueue, priority inheritance: while a more urgent queue of the process waits on the device for a less urgent one,
// every queue of the process that has work counts as at least as urgent, until what it has now is done. All of them,
// since what the producer in turn waits for is not always visible from here (a value the program itself writes, the
// implicit waits of CUDA's legacy stream). Locks are taken one at a time.
#include "queue/pool.h"
#include "queue/xqueue.h"

#include <algorithm>

namespace xsched::queue {

namespace {

std::atomic<uint32_t> g_waits_in_driver{0};

}  // namespace

void forget_waits_in_driver() { g_waits_in_driver.store(0, std::memory_order_seq_cst); }

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

// The process's memory may be another one meanwhile: each change writes the whole number again.
void XQueue::waits_in_driver(int change) {
    g_waits_in_driver.fetch_add(static_cast<uint32_t>(change), std::memory_order_seq_cst);
    ipc::Header* header = this->header();
    if (header == nullptr) return;
    for (uint32_t now = ~0U; now != g_waits_in_driver.load(std::memory_order_seq_cst);) {
        now = g_waits_in_driver.load(std::memory_order_seq_cst);
        header->waits_in_driver.store(now, std::memory_order_seq_cst);
    }
}

}  // namespace xsched::queue
