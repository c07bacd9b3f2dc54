// The usual length of a unit's bursts (for which others make room), or of the stretches between its pauses. In a burst
// that lasts much longer something is going wrong.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

class BurstLength {
public:
    // A burst counts as much longer than usual from this many times its usual length on. Beside other programs, equal
    // commands may take up to this many times as long.
    static constexpr int64_t kTimes = 2;

    // Notes the length of a burst that has ended. The first ones count alike, since a program's set-up is unlike its
    // later work. From then on a single long one changes the usual length little.
    void note(int64_t ns) {
        const bool first_ones = count_ < kSampleTimes;
        if (first_ones) ++count_;
        usual_ns_ += ((first_ones ? ns : std::min(ns, kTimes * usual_ns_)) - usual_ns_) / count_;
    }
    // Returns the usual length; 0: unknown.
    int64_t usual_ns() const { return usual_ns_; }
    int64_t long_from_ns() const { return kTimes * usual_ns_; }

private:
    int64_t usual_ns_ = 0;
    int64_t count_ = 0;  // of bursts, kSampleTimes at most
};

}  // namespace xsched::sched
