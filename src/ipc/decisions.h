// The last decisions about a client's queues, and those for their sake, for its own log. Written by the scheduler's
// thread while the client wants them; read by the client's agent. Without locks: whoever reads too late misses some.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::ipc {

enum class DecisionKind : uint32_t {
    kSuspended = 0,     // the client's queue
    kResumed = 1,
    kSuspendedFor = 2,  // another process's, to make room for this client
    kResumedFor = 3,
};

// Plain numbers, as a reader copies them.
struct Decision {
    DecisionKind kind{};
    uint32_t slot = 0;       // of the queue: the client's own, of the other two kinds the one that has the work
    int32_t priority = 0;    // of that queue
    int32_t pid = 0;         // the other process; 0: there is none
    int32_t pid_priority = 0;
    uint32_t pid_queue = 0;  // number of its queue; 0: several or not known
    uint32_t reason = 0;     // sched::Reason
    uint32_t mechanism = 0;  // sched::Mechanism
    int64_t delayed_ns = 0;  // of kResumed and kResumedFor: so long its work waited
};

class DecisionRing {
public:
    static constexpr uint32_t kEntries = 32;

    // --- the scheduler's thread
    void add(const Decision& decision);
    // --- the client's. The number of the next one.
    uint32_t end() const { return end_.load(std::memory_order_acquire); }
    // False: it was overwritten already. `number` lies before end().
    bool read(uint32_t number, Decision& decision) const;

private:
    struct Entry {
        std::atomic<uint32_t> number;  // of the decision + 1, once it is whole
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
