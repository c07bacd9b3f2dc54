// How long bursts are, as a rule: those for which the others make room for a unit, or the stretches between its pauses.
// A burst that lasts much longer is one in which something goes wrong.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::sched {

class BurstLength {
public:
    static constexpr int64_t kTimes = 2;

    // A burst of that length is over. A single long one moves the rule little.
    void note(int64_t ns) {
        const int64_t counted_ns = usual_ns_ == 0 ? ns : std::min(ns, kTimes * usual_ns_);
        usual_ns_ += usual_ns_ == 0 ? counted_ns : (counted_ns - usual_ns_) / 8;
    }
    // 0: none is known.
    int64_t usual_ns() const { return usual_ns_; }
    int64_t long_from_ns() const { return kTimes * usual_ns_; }

private:
    int64_t usual_ns_ = 0;
};

}  // namespace xsched::sched
