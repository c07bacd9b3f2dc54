// Compares a program's bursts when its process holds the device through all of them, and when it holds only their
// begin (BurstTrial). To hold the device, a keep-alive kernel of ours runs beside the program's work, so that the
// hardware does not switch to another process. The keep-alive kernel takes the place of one thread block, so a kernel
// that needs every multiprocessor might wait for it. Also tells whether bursts can be held through often enough for
// victims to rely on it. Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <bit>
#include <cstdint>

#include "sched/pattern/burst_trial.h"

namespace xsched::sched {

class HoldTrial : public BurstTrial {
public:
    static constexpr int64_t kPart = 32;  // holds are judged to lengthen bursts if they do so by more than 1/kPart

    HoldTrial() : BurstTrial(kPart) {}
    // Returns for how many bursts holds are not relied on after some were missed.
    static constexpr unsigned not_relied_on_for() { return 2 * kNotFor; }

    // Notes that a foreseen burst has begun. `missed`: it came too early for a hold, or bursts come too unevenly for
    // what a hold may cost.
    void note_missed(bool missed) {
        lately_ = static_cast<uint16_t>(lately_ << 1 | (missed ? 1 : 0));
        if (std::popcount(lately_) >= kMostMissed)
            unreliable_for_ = not_relied_on_for();
        else if (unreliable_for_ > 0)
            --unreliable_for_;
    }
    // Returns whether nearly all bursts can be held through. Otherwise victims whose gates would suffice pay for calls.
    bool reliable() const { return unreliable_for_ == 0; }

private:
    static constexpr int kMostMissed = 3;  // of the last sixteen bursts

    uint16_t lately_ = 0;  // a bit per burst, the last one lowest: it was missed
    unsigned unreliable_for_ = 0;
};

}  // namespace xsched::sched
