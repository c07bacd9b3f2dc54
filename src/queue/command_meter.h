// Learns how long a queue's commands take from when they complete. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

namespace xsched::queue {

class CommandMeter {
public:
    // The first command goes to hardware that had none of this queue's work.
    void flight_began(int64_t now_ns) {
        flight_since_ns_ = now_ns;
        before_ns_ = 0;
    }
    // What runs is taken off the hardware, and goes on later: the time between is not its own.
    void interrupted(int64_t now_ns) { before_ns_ += since(now_ns); }
    void restored(int64_t now_ns) { flight_since_ns_ = now_ns; }
    // `count` commands completed.
    void completed(uint32_t count, int64_t now_ns);

    int64_t command_ns() const { return command_ns_; }  // moving average, 0: nothing measured
    int64_t busy_ns() const { return busy_ns_; }        // device time used, as seen from here

private:
    int64_t since(int64_t now_ns) const;

    int64_t flight_since_ns_ = 0;
    int64_t before_ns_ = 0;  // what runs now had run so long when it was interrupted
    int64_t last_completed_ns_ = 0;
    int64_t command_ns_ = 0;
    int64_t busy_ns_ = 0;
};

}  // namespace xsched::queue
