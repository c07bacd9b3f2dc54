// Compares a program's bursts when its process holds the device through all of them, and when it holds only their
// begin. To hold the device, a keep-alive kernel of ours runs beside the program's work, so that the hardware does not
// switch to another process. The keep-alive kernel takes the place of one thread block, so a kernel that needs every
// multiprocessor might wait for it. First some bursts are measured without. Later, whenever bursts seem to have become
// longer, bursts of both kinds are compared in turns, since other load on the machine lengthens both kinds. If that
// load varies from burst to burst, a comparison may err, so it is soon repeated. Pure; one object per unit; not
// thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/doubling.h"
#include "base/sample.h"
#include "sched/facts/times.h"

namespace xsched::sched {

class HoldTrial {
public:
    static constexpr unsigned kNotFor = 32;  // bursts without a hold after one that made them longer; doubles each time
    // Returns for how many bursts holds are not relied on after some were missed.
    static constexpr unsigned not_relied_on_for() { return 2 * kNotFor; }

    static constexpr int64_t kPart = 32;  // holds are judged to lengthen bursts if they do so by more than 1/kPart

    // Returns whether the next burst may be held through.
    bool may() const {
        if (not_for_ != 0) return false;
        return in_turns_ ? with_.count() < without_.count() : without_.full();
    }
    // Notes the length of a foreseen burst. `through`: the device was held through it.
    void note(bool through, int64_t ns) {
        if (not_for_ != 0) {
            if (--not_for_ == 0) begin_anew();
            return;
        }
        (through ? with_ : without_).add(ns);
        if (!with_.full() || !without_.full()) return;
        // Compares the medians and also the shorter quartiles: other load that slows some bursts of one kind raises
        // their median, but hardly their shortest.
        const bool longer = is_longer(2) && is_longer(4);
        if (longer && !in_turns_) {
            begin_anew();
            in_turns_ = true;
            return;
        }
        const bool compared = std::exchange(in_turns_, false);
        if (longer)
            not_for_ = longer_.next();
        else if (compared)
            longer_.reset();
    }

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

    // Compares that quantile.
    bool is_longer(unsigned parts) const {
        const int64_t without_ns = without_.quantile(1, parts);
        return with_.quantile(1, parts) > without_ns + without_ns / kPart;
    }
    void begin_anew() {
        with_.clear();
        without_.clear();
    }

    base::Sample<int64_t, kSampleTimes> with_;  // the last bursts of each kind
    base::Sample<int64_t, kSampleTimes> without_;
    bool in_turns_ = false;
    unsigned not_for_ = 0;
    base::Doubling<unsigned, kNotFor, 8 * kNotFor> longer_;
    uint16_t lately_ = 0;  // a bit per burst, the last one lowest: it was missed
    unsigned unreliable_for_ = 0;
};

}  // namespace xsched::sched
