// Whether a program's bursts are as short while its process holds the device through all of them as while it does so at
// their begin alone. The keep-alive takes the place of one thread block, for which a kernel that needs every
// multiprocessor as a whole would wait. First some bursts are seen without. Later, whenever they seem to have become
// longer, bursts of both kinds are compared in turns: what else the machine does makes both kinds longer. Where that
// differs from burst to burst the comparison errs at times, so that it is soon made again. Pure; one object per unit;
// not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/doubling.h"
#include "base/sample.h"

namespace xsched::sched {

class HoldTrial {
public:
    static constexpr unsigned kEach = 8;  // bursts of each kind, the last ones, that are compared
    static constexpr unsigned kNotFor = 32;  // bursts, if it makes them longer, and each time twice as many
    static constexpr unsigned kMostNotFor = 256;
    static constexpr unsigned kNotReliedOnFor = 64;  // bursts, if some were missed
    static constexpr int64_t kPart = 32;  // by more than this part

    // Whether the next burst may be held through.
    bool may() const {
        if (not_for_ != 0) return false;
        return in_turns_ ? with_.count() < without_.count() : without_.full();
    }
    // A burst that was foreseen is over.
    void note(bool through, int64_t ns) {
        if (not_for_ != 0) {
            if (--not_for_ == 0) begin_anew();
            return;
        }
        (through ? with_ : without_).add(ns);
        if (!with_.full() || !without_.full()) return;
        // Other work of the machine that slows some bursts of one kind lifts their median, and hardly the shortest.
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

    // Another one has begun. Missed: it came too early for a hold, or bursts come too unevenly for what that may cost.
    void note_missed(bool missed) {
        lately_ = static_cast<uint16_t>(lately_ << 1 | (missed ? 1 : 0));
        if (std::popcount(lately_) >= kMostMissed)
            unreliable_for_ = kNotReliedOnFor;
        else if (unreliable_for_ > 0)
            --unreliable_for_;
    }
    // Nearly all can be held through. Where they are not, victims whose gates would do pay for calls.
    bool reliable() const { return unreliable_for_ == 0; }

private:
    static constexpr int kMostMissed = 3;  // of the last sixteen

    // Compares that quantile.
    bool is_longer(unsigned parts) const {
        const int64_t without_ns = without_.quantile(1, parts);
        return with_.quantile(1, parts) > without_ns + without_ns / kPart;
    }
    void begin_anew() {
        with_.clear();
        without_.clear();
    }

    base::Sample<int64_t, kEach> with_;
    base::Sample<int64_t, kEach> without_;
    bool in_turns_ = false;
    unsigned not_for_ = 0;
    base::Doubling<unsigned, kNotFor, kMostNotFor> longer_;
    uint16_t lately_ = 0;  // a bit for each burst, the last one lowest: it was missed
    unsigned unreliable_for_ = 0;
};

}  // namespace xsched::sched
