// How long the others make room for a unit's bursts, as a rule. A burst that lasts much longer is one in which
// something goes wrong. Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::sched {

class BurstLength {
public:
    static constexpr int64_t kTimes = 2;
    // A call takes half a millisecond, and as much again when the others come back.
    static constexpr int64_t kShortNs = 2'000'000;

    // A burst of that length is over. A single long one moves the rule little.
    void note(int64_t ns) {
        const int64_t counted_ns = usual_ns_ == 0 ? ns : std::min(ns, kTimes * usual_ns_);
        usual_ns_ += usual_ns_ == 0 ? counted_ns : (counted_ns - usual_ns_) / 8;
    }
    // 0: none is known.
    int64_t usual_ns() const { return usual_ns_; }
    int64_t long_from_ns() const { return kTimes * usual_ns_; }
    // How long a burst may take before it is worth a call that takes the others off. Without one, a short timeslice has
    // them off, and the unit keeps the device through its pauses. 0: the call comes at once.
    int64_t without_call_ns() const { return usual_ns_ <= kShortNs ? usual_ns_ + usual_ns_ / 4 : 0; }

private:
    int64_t usual_ns_ = 0;
};

}  // namespace xsched::sched
