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

// Which part of a queue's latest commands are work.
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
    // Of about this many commands. The rest of one is remembered.
    uint32_t of(uint32_t commands) {
        if (markers_ == 0) return commands;
        const uint64_t parts = uint64_t{commands} * (commands_ - markers_) + rest_;
        rest_ = static_cast<uint32_t>(parts % commands_);
        return static_cast<uint32_t>(parts / commands_);
    }
    // The mean time of a command, markers included, of that of a piece of work.
    int64_t mean(int64_t work_ns) const {
        return markers_ == 0 ? work_ns : work_ns * (commands_ - markers_) / commands_;
    }

private:
    uint32_t commands_ = 0;
    uint32_t markers_ = 0;
    uint32_t rest_ = 0;  // of a piece of work, in parts of commands_
};

class CommandMeter {
public:
    // The first command goes to hardware that had none of this queue's work.
    void flight_began(int64_t now_ns) {
        flight_since_ns_ = now_ns;
        before_ns_ = run_on_ns_ = switch_ns_ = doubt_ns_ = 0;
    }
    // The queue is stopped, and started later. Of the time between, about `run_on_ns` is its own. Of the time after,
    // about `switch_ns` is not: the hardware turns from another process's work to this queue's. Nor is up to three
    // times that, where the commands' usual length says so: the other one may still run on, and a gate take its time to
    // open.
    void stopped(int64_t now_ns, int64_t run_on_ns);
    void started(int64_t now_ns, int64_t switch_ns);
    // `count` commands completed. Returns the device time that this queue has had since the last ones did.
    int64_t completed(uint32_t count, int64_t now_ns);
    // Commands completed that nobody followed: the device had work all the time until now, as far as is known. Counts
    // that time. It says little of the commands' lengths: the queue may have been idle between them, unseen.
    void completed_unfollowed(int64_t now_ns);

    int64_t command_ns() const { return command_ns_; }  // moving average, 0: nothing measured
    int64_t busy_ns() const { return busy_ns_; }  // device time used, as seen from here

private:
    bool waited(int64_t now_ns, int64_t& since_start_ns) const;
    int64_t since(int64_t now_ns) const;
    int64_t doubt(int64_t now_ns) const;
    int64_t ran_on(int64_t now_ns);

    int64_t flight_since_ns_ = -1;  // never yet
    int64_t before_ns_ = 0;  // what runs now had run so long when the queue was stopped
    bool is_stopped_ = false;
    int64_t stopped_ns_ = 0;
    int64_t run_on_ns_ = 0;  // what of that is not counted yet
    int64_t switch_ns_ = 0;  // after the last start
    int64_t doubt_ns_ = 0;  // what of before_ns_ may have been waited for as well
    int64_t last_completed_ns_ = 0;
    int64_t command_ns_ = 0;
    int64_t sample_ns_ = 0;  // not in the average yet: so long,
    uint32_t sample_ = 0;  // for this many
    int64_t busy_ns_ = 0;
};

}  // namespace xsched::queue
