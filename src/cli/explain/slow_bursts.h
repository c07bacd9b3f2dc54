// Which bursts of work took longer than a limit, and how much of that the queue was held, by whom: from what the
// scheduler saw and decided (the server's "record"). Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ipc/recording.h"

namespace xsched::cli {

struct SlowBurst {
    struct Held {
        uint32_t by_client = 0;  // 0: for nobody; see the reason
        uint32_t reason = 0;
        int64_t ns = 0;
        uint64_t times = 0;
    };
    uint32_t client = 0;
    uint32_t slot = 0;
    int64_t began_ns = 0;
    int64_t ns = 0;
    std::vector<Held> held;  // by cause, the most first

    int64_t held_ns() const;
};

class SlowBursts {
public:
    explicit SlowBursts(int64_t limit_ns) : limit_ns_(limit_ns) {}

    // In the order of their times, as far as one queue goes.
    void see(const ipc::RecordedChange& change);
    // Returns the bursts that ended since the last call.
    std::vector<SlowBurst> take() { return std::exchange(slow_, {}); }

private:
    struct Queue {
        int64_t ready_ns = 0;      // 0: it has no work
        int64_t suspended_ns = 0;  // 0: it may run
        uint32_t by_client = 0;
        uint32_t reason = 0;
        std::vector<SlowBurst::Held> held;  // in this burst
    };
    static void end_hold(Queue& queue, int64_t now_ns);

    int64_t limit_ns_;
    std::map<std::pair<uint32_t, uint32_t>, Queue> queues_;
    std::vector<SlowBurst> slow_;
};

}  // namespace xsched::cli
