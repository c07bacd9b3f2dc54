// Learns how long a queue's commands take from when they complete. Pure; guarded by the queue's lock.
#pragma once

#include <cstdint>

namespace xsched::queue {

// A marker (an event's record, a wait for one) takes a place in the driver's queue and no time of the device.
// A piece of a copy always has a gate before it. A wait is a marker that the device does not end (stand_places.h).
enum class CommandKind { kWork, kMarker, kPiece, kWait };

inline constexpr bool takes_no_time(CommandKind kind) {
    return kind == CommandKind::kMarker || kind == CommandKind::kWait;
}

// The part of a queue's latest commands that are work and not markers.
class WorkShare {
public:
    static constexpr uint32_t kRemembered = 256;

    void note(CommandKind kind) {
        if (++commands_ == kRemembered) {
            commands_ /= 2;
            markers_ /= 2;
        }
        markers_ += takes_no_time(kind) ? 1 : 0;
    }
    // Returns how many of so many commands are work; keeps the remainder for the next call.
    uint32_t of(uint32_t commands) {
        if (markers_ == 0) return commands;
        const uint64_t parts = uint64_t{commands} * (commands_ - markers_) + rest_;
        rest_ = static_cast<uint32_t>(parts % commands_);
        return static_cast<uint32_t>(parts / commands_);
    }
    // Converts the mean length of a piece of work to the mean of all commands, markers included.
    int64_t mean(int64_t work_ns) const {
        return markers_ == 0 ? work_ns : work_ns * (commands_ - markers_) / commands_;
    }

private:
    uint32_t commands_ = 0;
    uint32_t markers_ = 0;
    uint32_t rest_ = 0;  // remainder of of(), in parts of commands_
};

class CommandMeter {
public:
    // Notes that a command goes to a device that has none of this queue's work.
    void flight_began(int64_t now_ns) {
        flight_since_ns_ = now_ns;
        before_ns_ = run_on_ns_ = switch_ns_ = doubt_ns_ = 0;
    }
    // Notes that the queue was stopped, and then started. Between, about `run_on_ns` counts as its own. After the
    // start, about `switch_ns` does not count: the hardware switches to this queue. Up to three times that does not
    // count if the commands' usual length says so, because the other process may run on and a gate takes time to open.
    void stopped(int64_t now_ns, int64_t run_on_ns);
    void started(int64_t now_ns, int64_t switch_ns);
    // Notes that `count` commands completed. Returns the device time used since the last ones.
    int64_t completed(uint32_t count, int64_t now_ns);
    // Notes commands that completed unfollowed: the device had work until now, as far as known. Counts that time, but
    // learns no lengths, since the queue may have been idle in between.
    void completed_unfollowed(int64_t now_ns);

    int64_t command_ns() const { return command_ns_; }  // moving average, 0: nothing measured
    int64_t busy_ns() const { return busy_ns_; }  // device time used, as far as the host can tell

private:
    bool waited(int64_t now_ns, int64_t& since_start_ns) const;
    int64_t since(int64_t now_ns) const;
    int64_t doubt(int64_t now_ns) const;
    int64_t ran_on(int64_t now_ns);

    int64_t flight_since_ns_ = -1;  // never yet
    int64_t before_ns_ = 0;  // how long the command that runs now had run when the queue was stopped
    bool is_stopped_ = false;
    int64_t stopped_ns_ = 0;
    int64_t run_on_ns_ = 0;  // the part of the run after a stop that is not counted yet
    int64_t switch_ns_ = 0;  // time of the switch after the last start
    int64_t doubt_ns_ = 0;  // the part of before_ns_ that may have been waiting
    int64_t last_completed_ns_ = 0;
    int64_t command_ns_ = 0;
    int64_t sample_ns_ = 0;  // time not in the average yet,
    uint32_t sample_ = 0;  // for this many
    int64_t busy_ns_ = 0;
};

}  // namespace xsched::queue
