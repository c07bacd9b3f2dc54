// The facts about a client that other threads may read at any time, without asking the dispatcher: the last verdict on
// each queue and the accounts. Written by the dispatcher's thread alone, field by field, without locks; a reader may
// see one field newer than the next. `stopped` and `cpu_priority` are the exceptions: other threads write them, and the
// dispatcher reads them.
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>

#include "base/histogram.h"
#include "base/no_copies.h"
#include "ipc/layout.h"
#include "sched/facts/unit.h"

namespace xsched::dispatch {

// Lengths in ns of a queue's bursts, commands, stops and resumptions, as far as the dispatcher saw them.
struct QueueLengths {
    base::Histogram bursts;  // a burst: from having work until having none
    base::Histogram requests;  // bursts with brief pauses between them (joined_bursts.h), without the time held
    base::Histogram burst_counts;  // of a request: a microsecond for each burst
    base::Histogram pauses;  // of a request, between its bursts, together
    base::Histogram rests;  // from one request's end to the next one's begin
    base::Histogram commands;  // device time per command: the mean between two looks
    base::Histogram holds;  // a hold: suspended with work to do
    base::Histogram stops;  // a stop: from the suspension until no work of it is on the device
    base::Histogram resumes;  // a resumption, until some work of it goes on
};

// How many holds (or stops, or resumptions) there were by one mechanism, and their total length.
struct Sums {
    std::atomic<uint64_t> count{0};
    std::atomic<int64_t> ns{0};

    // Adds without a locked instruction: there is only one writer.
    void add(int64_t length_ns) {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        ns.store(ns.load(std::memory_order_relaxed) + length_ns, std::memory_order_relaxed);
    }
};

// How a queue was last kept off for a more urgent unit, and the expected losses of each possible way
// (sched/facts/candidates.h).
struct KeptOff {
    std::atomic<uint32_t> mechanism{0};  // sched::Mechanism; kNone: it never was
    struct {
        std::atomic<uint32_t> mechanism{0};
        std::atomic<uint32_t> urgent_us{0};
        std::atomic<uint32_t> victim_us{0};
    } candidates[std::tuple_size_v<sched::Candidates>];
};

struct QueueRecord : base::NoCopies {
    QueueRecord() = default;
    ~QueueRecord() { delete lengths_.load(std::memory_order_relaxed); }

    std::atomic<uint32_t> used{0};  // 1: the queue in this slot is scheduled
    std::atomic<uint32_t> suspended{0};
    std::atomic<uint32_t> reason{0};  // sched::Reason
    std::atomic<uint32_t> mechanism{0};  // sched::Mechanism
    KeptOff kept_off;
    std::atomic<int32_t> by_pid{0};  // process for which it makes room; 0: none
    std::atomic<uint32_t> by_client{0};
    std::atomic<int32_t> priority{0};  // priority in effect: with what it inherits, and the user's limit
    std::atomic<int64_t> since_ns{0};  // when the present state began
    std::atomic<int64_t> delayed_ns{0};  // how long it was suspended with work to do,
    std::atomic<int64_t> waits_since_ns{0};  // up to this time; 0: it is not waiting now
    std::atomic<uint64_t> preemptions{0};
    // Requests that ended while the program had a latency target, and those of them that took longer than that.
    std::atomic<uint64_t> targeted{0};
    std::atomic<uint64_t> late{0};
    std::atomic<uint32_t> note_code{0};  // policy::Note
    std::atomic<int64_t> note_first{0};
    std::atomic<int64_t> note_second{0};
    // Sums over all queues that have used this slot: how many holds with work to do, by mechanism.
    std::atomic<uint64_t> preempted_by[sched::kMechanisms] = {};
    Sums stops_by[sched::kMechanisms];
    Sums resumes_by[sched::kMechanisms];
    // Sums over all queues that have used this slot, up to looked_ns: time running with work, and time without work.
    std::atomic<int64_t> running_ns{0};
    std::atomic<int64_t> followed_ns{0};  // the part of running_ns since each change is reported, or last was
    std::atomic<int64_t> idle_ns{0};
    std::atomic<int64_t> looked_ns{0};
    // Sums over the earlier queues of this slot: commands, how many of them copied, and device time.
    std::atomic<uint64_t> gone_completed{0};
    std::atomic<uint64_t> gone_copies{0};
    std::atomic<uint64_t> gone_copied_bytes{0};
    std::atomic<int64_t> gone_busy_ns{0};
    // Cost of taking the queue's process off the device, in microseconds, as the core uses it (sched/facts/costs.h).
    std::atomic<uint32_t> switch_us{0};
    std::atomic<uint32_t> off_us{0};
    std::atomic<uint32_t> interrupt_us{0};
    std::atomic<int64_t> seen_ns{0};  // when the queue was first seen
    std::atomic<int64_t> ready_since_ns{0};  // since when it has work; 0: none, as far as known
    std::atomic<uint32_t> watched{0};  // 1: each change is reported; 0: only some changes are seen

    // Returns the lengths; null if the slot was never used. Any thread.
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

class ClientRecord : base::NoCopies {
public:
    ClientRecord() = default;
    ~ClientRecord() {
        for (std::atomic<Chunk*>& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
    }

    std::atomic<int64_t> delay_caused_ns{0};
    // 1: the client's work keeps others off but completes nothing, so another thread should check whether the process
    // is stopped.
    std::atomic<uint32_t> suspect{0};
    std::atomic<uint32_t> lost_claim{0};  // 1: no other client makes room for it (sched/pattern/claim.h)
    std::atomic<uint32_t> unscheduled{0};  // queues beyond the user's limit
    // Written by another thread: the process is stopped.
    std::atomic<uint32_t> stopped{0};
    std::atomic<uint32_t> suspended_by_person{0};  // all of the client is, and what queues it makes later
    std::atomic<int32_t> cpu_priority{0};  // as in policy::Unit

    // Returns the record of the queue with this index; null if no queue near that index was ever scheduled. Any thread.
    const QueueRecord* find(uint32_t at) const {
        const Chunk* chunk = at < ipc::kMostQueues ? chunks_[at / kChunk].load(std::memory_order_acquire) : nullptr;
        return chunk != nullptr ? &chunk->queues[at % kChunk] : nullptr;
    }
    // Returns the record; allocates some at a time, as most clients use few. The dispatcher's thread.
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
