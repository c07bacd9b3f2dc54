// Compares a program's bursts with something that may lengthen them and without it. First some bursts are measured
// without. Later, whenever bursts seem to have become longer, bursts of both kinds are compared in turns, since other
// load on the machine lengthens both kinds. If that load varies from burst to burst, a comparison may err, so it is
// soon repeated. Pure; not thread-safe; no allocation.
#pragma once

#include <cstdint>
#include <utility>

#include "base/doubling.h"
#include "base/sample.h"
#include "sched/facts/times.h"

namespace xsched::sched {

class BurstTrial {
public:
    static constexpr unsigned kNotFor = 32;  // bursts without it after one that made them longer; doubles each time

    // Bursts count as longer if they are longer by more than 1/`part`.
    explicit BurstTrial(int64_t part) : part_(part) {}

    // Returns whether the next burst may be one with the thing that may lengthen bursts.
    bool may() const {
        if (not_for_ != 0) return false;
        return in_turns_ ? with_.count() < without_.count() : without_.full();
    }
    // Notes the length of a burst with, or without, the thing that may lengthen bursts.
    void note(bool with, int64_t ns) {
        if (not_for_ != 0) {
            if (--not_for_ == 0) begin_anew();
            return;
        }
        (with ? with_ : without_).add(ns);
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
    // Stops trying for the longest time after which a comparison is repeated, because bursts are surely longer with
    // the thing that is tried.
    void give_up() { not_for_ = 8 * kNotFor; }
    // Returns the longest of the last bursts without the thing that is tried; 0: none was seen.
    int64_t longest_without() const { return without_.count() != 0 ? without_.most() : 0; }

private:
    // Compares that quantile.
    bool is_longer(unsigned parts) const {
        const int64_t without_ns = without_.quantile(1, parts);
        return with_.quantile(1, parts) > without_ns + without_ns / part_;
    }
    void begin_anew() {
        with_.clear();
        without_.clear();
    }

    int64_t part_;
    base::Sample<int64_t, kSampleTimes> with_;  // the last bursts of each kind
    base::Sample<int64_t, kSampleTimes> without_;
    bool in_turns_ = false;
    unsigned not_for_ = 0;
    base::Doubling<unsigned, kNotFor, 8 * kNotFor> longer_;
};

}  // namespace xsched::sched
