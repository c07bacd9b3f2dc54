// The facts about a client that other threads may read at any time, without asking the dispatcher: the last verdict on
// each queue and the accounts. Written by the dispatcher's thread alone, field by field, without locks; a reader may
// see one field newer than the next. `stopped` and `cpu_priority` go the other way.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/histogram.h"
#include "ipc/layout.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// The activity of a queue while the dispatcher followed it: lengths in ns.
struct QueueLengths {
    base::Histogram bursts;  // from work to no work left
    base::Histogram commands;  // device time of a command, the mean of those between two looks
    base::Histogram holds;  // suspended with work to do
    base::Histogram stops;  // from its suspension until nothing of it is on the device any more
    base::Histogram resumes;  // from its resumption until something of it goes on
};

// Of one mechanism: how often, and how long together.
struct Sums {
    std::atomic<uint64_t> count{0};
    std::atomic<int64_t> ns{0};

    // Its only writer needs no locked instruction.
    void add(int64_t length_ns) {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        ns.store(ns.load(std::memory_order_relaxed) + length_ns, std::memory_order_relaxed);
    }
};

struct QueueRecord {
    QueueRecord() = default;
    ~QueueRecord() { delete lengths_.load(std::memory_order_relaxed); }
    QueueRecord(const QueueRecord&) = delete;
    QueueRecord& operator=(const QueueRecord&) = delete;

    std::atomic<uint32_t> used{0};  // 1: the slot of this index is scheduled
    std::atomic<uint32_t> suspended{0};
    std::atomic<uint32_t> reason{0};  // sched::Reason
    std::atomic<uint32_t> mechanism{0};  // sched::Mechanism
    std::atomic<int32_t> by_pid{0};  // the process that it makes room for; 0: none
    std::atomic<uint32_t> by_client{0};
    std::atomic<int32_t> priority{0};  // that counts: inherited ones and the user's limit applied
    std::atomic<int64_t> since_ns{0};  // when the present state began
    std::atomic<int64_t> delayed_ns{0};  // suspended with work to do, until
    std::atomic<int64_t> waits_since_ns{0};  // then; 0: it is not now
    std::atomic<uint64_t> preemptions{0};
    std::atomic<uint32_t> note_code{0};  // policy::Note
    std::atomic<int64_t> note_first{0};
    std::atomic<int64_t> note_second{0};
    // Of all queues that had this slot, one after the other, like the lengths: holds with work to do, by mechanism.
    std::atomic<uint64_t> preempted_by[sched::kMechanisms] = {};
    Sums stops_by[sched::kMechanisms];
    Sums resumes_by[sched::kMechanisms];
    // Of all queues that had this slot, until looked_ns: with work and not suspended, and without work.
    std::atomic<int64_t> running_ns{0};
    std::atomic<int64_t> idle_ns{0};
    std::atomic<int64_t> looked_ns{0};
    // Of those that had it before: the commands, which of them were copies, and the device time.
    std::atomic<uint64_t> gone_completed{0};
    std::atomic<uint64_t> gone_copies{0};
    std::atomic<uint64_t> gone_copied_bytes{0};
    std::atomic<int64_t> gone_busy_ns{0};
    // The cost of taking its process off the device, in microseconds, that the core reckons with (sched/facts/costs.h).
    std::atomic<uint32_t> switch_us{0};
    std::atomic<uint32_t> off_us{0};
    std::atomic<uint32_t> interrupt_us{0};
    std::atomic<int64_t> seen_ns{0};  // when the queue was first seen
    std::atomic<int64_t> ready_since_ns{0};  // 0: it has no work, as far as is known
    std::atomic<uint32_t> watched{0};  // 1: each change of it is told; 0: only some are seen, now and then

    // Null: the slot was never used. Any thread.
    const QueueLengths* lengths() const { return lengths_.load(std::memory_order_acquire); }
    // The dispatcher's thread.
    QueueLengths& make_lengths() {
        if (lengths_.load(std::memory_order_relaxed) == nullptr)
            lengths_.store(new QueueLengths, std::memory_order_release);
        return *lengths_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<QueueLengths*> lengths_{nullptr};
};

class ClientRecord {
public:
    ClientRecord() = default;
    ~ClientRecord() {
        for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
    }
    ClientRecord(const ClientRecord&) = delete;
    ClientRecord& operator=(const ClientRecord&) = delete;

    std::atomic<int64_t> delay_caused_ns{0};
    // Its work keeps others off, and completes nothing: somebody should look whether the process is stopped.
    std::atomic<uint32_t> suspect{0};
    std::atomic<int64_t> claim_lost_ns{0};  // when it was last seen without its claim (sched/pattern/claim.h); 0: never
    std::atomic<uint32_t> unscheduled{0};  // queues beyond the user's limit
    // Written by others: the process is stopped.
    std::atomic<uint32_t> stopped{0};
    std::atomic<int32_t> cpu_priority{0};  // as in policy::Unit

    // Null: no queue of about that index was ever scheduled. Any thread.
    const QueueRecord* find(uint32_t at) const {
        const Chunk* chunk = at < ipc::kMostQueues ? chunks_[at / kChunk].load(std::memory_order_acquire) : nullptr;
        return chunk != nullptr ? &chunk->queues[at % kChunk] : nullptr;
    }
    // The dispatcher's thread. Most clients use few: memory is taken for some at a time.
    QueueRecord& make(uint32_t at) {
        std::atomic<Chunk*>& chunk = chunks_[at / kChunk];
        if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Chunk, std::memory_order_release);
        return chunk.load(std::memory_order_relaxed)->queues[at % kChunk];
    }

private:
    static constexpr uint32_t kChunk = 16;
    struct Chunk {
        QueueRecord queues[kChunk];
    };
    std::atomic<Chunk*> chunks_[ipc::kMostQueues / kChunk] = {};
};

}  // namespace xsched::dispatch
