// What other threads may know of a client at any time, without asking the dispatcher: the last verdict on each queue
// and the accounts. Written by the dispatcher's thread alone, field by field, without locks; a reader may see one field
// newer than the next. `stopped` and `cpu_priority` go the other way.
#pragma once

#include <atomic>
#include <cstdint>

#include "ipc/layout.h"
#include "sched/unit.h"

namespace xsched::dispatch {

struct QueueRecord {
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
