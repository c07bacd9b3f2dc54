// Finds bursts of work that took longer than a limit, and how long the queue was held in them, and for which program.
// Uses what the scheduler saw and decided (the server's "record"). Pure; one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "cli/trace/traced.h"

namespace xsched::cli {

// Why a queue was held.
struct HoldCause {
    uint32_t by_client = 0;  // the program it was held for; 0: none, see the reason
    uint32_t reason = 0;
    bool is_same(const HoldCause& other) const {
        return by_client == other.by_client && (by_client != 0 || reason == other.reason);
    }
};

struct HeldFor {
    HoldCause cause;
    int64_t ns = 0;
    uint64_t times = 0;
};

struct QueueName {
    uint32_t client = 0;
    uint32_t slot = 0;
    auto operator<=>(const QueueName&) const = default;
};

struct SlowBurst {
    QueueName queue;
    int64_t began_ns = 0;
    int64_t ns = 0;
    std::vector<HeldFor> held;  // by cause, the longest first

    int64_t held_ns() const;
};

class SlowBursts {
public:
    explicit SlowBursts(int64_t limit_ns) : limit_ns_(limit_ns) {}

    // Takes in a change. Changes of one queue must come as they were seen. A burst counts only if the queue was
    // followed from its begin to its end.
    void see(const TracedChange& change);
    // Returns the bursts that ended since the last call.
    std::vector<SlowBurst> take() { return std::exchange(slow_, {}); }

private:
    struct Queue {
        int64_t followed_ns = 0;   // since when it is followed, or last was; 0: since before the first change
        int64_t ready_ns = 0;      // 0: it has no work
        int64_t suspended_ns = 0;  // 0: it may run
        HoldCause cause;
        std::vector<HeldFor> held;  // in this burst
    };
    static void end_hold(Queue& queue, int64_t now_ns);

    int64_t limit_ns_;
    std::map<QueueName, Queue> queues_;
    std::vector<SlowBurst> slow_;
};

}  // namespace xsched::cli
