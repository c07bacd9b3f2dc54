// The last decisions about a client's queues, and those made for its sake, for the client's own log. The scheduler's
// thread writes while the client wants them; the client's agent reads. There are no locks: a reader that is too late
// misses some.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::ipc {

enum class DecisionKind : uint32_t {
    kSuspended = 0,     // the client's queue
    kResumed = 1,
    kSuspendedFor = 2,  // another process's queue, to make room for this client
    kResumedFor = 3,
};

// Plain numbers, so that a reader can copy them.
struct Decision {
    DecisionKind kind{};
    uint32_t slot = 0;       // the client's own queue; for the ...For kinds, its queue that has the work
    int32_t priority = 0;    // of that queue
    int32_t pid = 0;         // the other process; 0 if there is none
    int32_t pid_priority = 0;
    uint32_t pid_queue = 0;  // number of that process's queue; 0: several, or unknown
    uint32_t reason = 0;     // sched::Reason
    uint32_t mechanism = 0;  // sched::Mechanism
    int64_t delayed_ns = 0;  // for kResumed and kResumedFor: how long its work waited
};

class DecisionRing {
public:
    static constexpr uint32_t kEntries = 32;

    // --- the scheduler's thread
    void add(const Decision& decision);
    // --- the client. Returns the number of the next decision.
    uint32_t end() const { return end_.load(std::memory_order_acquire); }
    // Copies a decision; `number` must be below end(). Returns false if it has been overwritten.
    bool read(uint32_t number, Decision& decision) const;

private:
    struct Entry {
        std::atomic<uint32_t> number;  // the decision's number + 1, once it is written completely
        std::atomic<uint32_t> kind;
        std::atomic<uint32_t> slot;
        std::atomic<int32_t> priority;
        std::atomic<int32_t> pid;
        std::atomic<int32_t> pid_priority;
        std::atomic<uint32_t> pid_queue;
        std::atomic<uint32_t> reason;
        std::atomic<uint32_t> mechanism;
        std::atomic<int64_t> delayed_ns;
    };
    std::atomic<uint32_t> end_;
    Entry entries_[kEntries];
};

inline void DecisionRing::add(const Decision& decision) {
    const uint32_t number = end_.load(std::memory_order_relaxed);
    Entry& entry = entries_[number % kEntries];
    entry.number.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    entry.kind.store(static_cast<uint32_t>(decision.kind), std::memory_order_relaxed);
    entry.slot.store(decision.slot, std::memory_order_relaxed);
    entry.priority.store(decision.priority, std::memory_order_relaxed);
    entry.pid.store(decision.pid, std::memory_order_relaxed);
    entry.pid_priority.store(decision.pid_priority, std::memory_order_relaxed);
    entry.pid_queue.store(decision.pid_queue, std::memory_order_relaxed);
    entry.reason.store(decision.reason, std::memory_order_relaxed);
    entry.mechanism.store(decision.mechanism, std::memory_order_relaxed);
    entry.delayed_ns.store(decision.delayed_ns, std::memory_order_relaxed);
    entry.number.store(number + 1, std::memory_order_release);
    end_.store(number + 1, std::memory_order_release);
}

inline bool DecisionRing::read(uint32_t number, Decision& decision) const {
    const Entry& entry = entries_[number % kEntries];
    if (entry.number.load(std::memory_order_acquire) != number + 1) return false;
    decision.kind = static_cast<DecisionKind>(entry.kind.load(std::memory_order_relaxed));
    decision.slot = entry.slot.load(std::memory_order_relaxed);
    decision.priority = entry.priority.load(std::memory_order_relaxed);
    decision.pid = entry.pid.load(std::memory_order_relaxed);
    decision.pid_priority = entry.pid_priority.load(std::memory_order_relaxed);
    decision.pid_queue = entry.pid_queue.load(std::memory_order_relaxed);
    decision.reason = entry.reason.load(std::memory_order_relaxed);
    decision.mechanism = entry.mechanism.load(std::memory_order_relaxed);
    decision.delayed_ns = entry.delayed_ns.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return entry.number.load(std::memory_order_relaxed) == number + 1;
}

}  // namespace xsched::ipc
