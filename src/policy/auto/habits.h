// AUTO's observations of a program: its bursts, the rests between them, and how much of its own time the bursts fill.
// All of it is measured; no claim of the program counts.
//
// A burst begins when work comes after a rest, and lasts until the program rests for a millisecond. So work that
// synchronizes every few kernels is one burst. Own time is the time in which a program runs or rests; time in which it
// waits for others is not its own.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "policy/up/programs.h"

namespace xsched::policy {

class Habits {
public:
    static constexpr int64_t kRestNs = 1'000'000;  // a shorter pause belongs to the burst
    static constexpr uint32_t kEnough = 3;  // number of bursts after which a program's habits are known

    // Takes in the program's present state. `ran_ns`: how long it had the device up to now.
    void see(const Program& program, int64_t ran_ns, int64_t now_ns);

    // Returns whether the program's bursts are short beside its rests: it leaves more than half of its own time to
    // others.
    bool is_brief() const { return brief_; }
    bool is_known() const { return bursts_ >= kEnough; }
    bool in_burst() const { return in_burst_; }
    bool has_work() const { return ready_; }
    uint32_t bursts() const { return bursts_; }
    int64_t burst_ns() const { return mean_ns_; }  // mean device time of a burst; 0: not known
    // Returns whether the load rests on enough of the program's own time.
    bool is_load_known() const { return own_ns_ >= kMemoryNs; }
    int64_t load_percent() const { return std::lround(load_ * 100); }
    int64_t began_ns() const { return began_ns_; }  // when the present burst began
    int64_t ran_ns() const { return ran_ns_; }  // how long the program had the device in the present burst
    int64_t latency_ns() const {
        return latency_ns_;
    }  // length of the last burst, from the arrival of its work to its
                                                        // end,
    int64_t last_ran_ns() const { return last_ran_ns_; }  // the part with the device,
    int64_t last_own_ns() const { return last_own_ns_; }  // and that part without the wait for others to leave

private:
    // How much of a program's own time the averages remember, about. Programs change their habits within a second.
    static constexpr int64_t kMemoryNs = 250'000'000;

    void begin(int64_t now_ns);
    void end();
    void weigh(int64_t own_ns, bool busy);

    int64_t began_ns_ = 0;
    int64_t idle_ns_ = 0;  // in a burst, begin of the present pause (0: none); otherwise begin of the rest
    int64_t ran_ns_ = 0;
    int64_t mean_ns_ = 0;
    int64_t latency_ns_ = 0;
    int64_t last_ran_ns_ = 0;
    int64_t empty_ns_ = 0;  // part of ran_ns_ before its first command ran
    int64_t used_ns_ = 0;  // device time of the present burst, as far as reported
    int64_t last_own_ns_ = 0;
    int64_t own_ns_ = 0;  // all of its own time so far
    float load_ = 1;  // part of its own time in which it has work
    uint32_t bursts_ = 0;
    bool in_burst_ = false;
    bool ready_ = false;
    bool brief_ = false;
};

}  // namespace xsched::policy
