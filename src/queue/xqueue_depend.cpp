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

constexpr int kMostRounds = 3;  // then the scheduler's limit for units that get no further has to do

}  // namespace

void forget_driver_calls() { g_driver_calls.store(0, std::memory_order_seq_cst); }

// mutex_ held. The priority, with the boosts that still hold.
int32_t XQueue::urgency() const {
    const ipc::QueueSlot& slot = *placement_.slot;
    return ipc::boosted_priority(slot, slot.priority.load(std::memory_order_relaxed), ipc::completed_commands(slot));
}

// Boosts it for all that it has now; true: for which it was not yet. What it had before may be boosted more: that ends
// earlier, and this must not end with it. Weaker boosts end earlier as well, and need not be kept.
bool XQueue::boost(int32_t urgent) {
    base::Lock lock(mutex_);
    if (!in_use()) return false;
    ipc::QueueSlot& slot = *placement_.slot;
    const uint64_t completed = ipc::completed_commands(slot);
    if (submitted_ == completed || slot.priority.load(std::memory_order_relaxed) >= urgent) return false;
    int place = -1;
    bool known = false;
    for (int i = 0; i < ipc::kMostBoosts; ++i) {
        const uint64_t until = slot.boost_until[i].load(std::memory_order_relaxed);
        known = known || (until == submitted_ && slot.boost_priority[i].load(std::memory_order_relaxed) >= urgent);
        const bool holds = completed < until && slot.boost_priority[i].load(std::memory_order_relaxed) > urgent;
        if (holds) continue;
        slot.boost_until[i].store(0, std::memory_order_relaxed);
        if (place < 0) place = i;
    }
    if (place >= 0) slot.boost_priority[place].store(urgent, std::memory_order_relaxed);
    else place = 0;  // all are taken by stronger ones: one of them goes on
    slot.boost_until[place].store(submitted_, std::memory_order_release);
    return !known;
}

void XQueue::depend(XQueue& producer) {
    int32_t urgent = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        urgent = urgency();
    }
    {
        base::Lock lock(producer.mutex_);
        if (!producer.in_use() || producer.submitted_ == ipc::completed_commands(*producer.placement_.slot))
            return;  // nothing to wait for
    }
    // Again, while other threads launch: what one queue got meanwhile may wait for what another one got before that.
    bool more = true;
    for (int round = 0; round < kMostRounds && more; ++round) {
        more = false;
        for (uint32_t i = 0; i < pool_size(); ++i)
            if (XQueue* queue = queue_at(i); queue != nullptr && queue != this) more = queue->boost(urgent) || more;
    }
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
