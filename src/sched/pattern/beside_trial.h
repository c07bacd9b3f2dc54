// Finds out by trial (burst_trial.h) whether victims may run beside an urgent unit while it has work. The unit's bursts
// are divided into stretches of kUnseenNs at most, and the time that a command takes in them is compared. Stretches of
// bursts of many kinds differ in length, but less in that. All victims that may are tried together: what one of them
// costs shows only beside the device without any. Pure; one object per urgent unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"
#include "sched/pattern/burst_length.h"
#include "sched/pattern/burst_trial.h"

namespace xsched::sched {

class BesideTrial {
public:
    // Begins a stretch: `completed` commands were done before.
    void begin(int64_t now_ns, uint64_t completed) {
        began_ns_ = now_ns;
        completed_ = completed;
        open_ = trial_.may();
        worked_ = false;
    }
    int64_t began_ns() const { return began_ns_; }  // 0: none has begun
    int64_t end_ns() const { return began_ns_ + kUnseenNs; }
    // Returns whether victims run beside the unit in this stretch.
    bool open() const { return open_; }
    // Notes that some victim has work in this stretch.
    void works() { worked_ = true; }
    // Ends the stretch. Without work of a victim it says nothing about stretches beside victims.
    void end(int64_t now_ns, uint64_t completed) {
        if (began_ns_ == 0 || now_ns <= began_ns_ || (open_ && !worked_)) return;
        const int64_t per_command_ns =
            (now_ns - began_ns_) / std::max<int64_t>(static_cast<int64_t>(completed - completed_), 1);
        if (open_ && per_command_ns > BurstLength::kTimes * trial_.longest_without())
            trial_.give_up();
        else
            trial_.note(open_, per_command_ns);
    }

private:
    static constexpr int64_t kPart = 20;  // decision 031

    int64_t began_ns_ = 0;
    uint64_t completed_ = 0;
    BurstTrial trial_{kPart};
    bool open_ = false;
    bool worked_ = false;
};

}  // namespace xsched::sched
