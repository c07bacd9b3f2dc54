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
    static constexpr uint32_t kEnough = 4;      // bursts that tell what a way costs
    static constexpr uint32_t kTryEvery = 64;   // bursts, the way that was worse

    // A burst of that length is over. A single long one moves the rule little. `call_waited`: as without_call_ns says.
    void note(int64_t ns, bool call_waited = false) {
        move(usual_ns_, ns);
        Way& way = call_waited ? waiting_ : at_once_;
        move(way.usual_ns, ns);
        way.count = std::min(way.count + 1, kEnough);
        ++bursts_;
    }
    // 0: none is known.
    int64_t usual_ns() const { return usual_ns_; }
    int64_t long_from_ns() const { return kTimes * usual_ns_; }

    // How long a burst may take before it is worth a call that takes the others off. Without one, a short timeslice has
    // them off, and the unit keeps the device through its pauses, if these are short enough: that shows in its bursts.
    // 0: the call comes at once.
    int64_t without_call_ns() const {
        if (at_once_.count < kEnough || usual_ns_ > kShortNs) return 0;
        const bool worse = waiting_.count == kEnough && waiting_.usual_ns > at_once_.usual_ns + at_once_.usual_ns / 8;
        if (worse && bursts_ % kTryEvery != 0) return 0;
        return at_once_.usual_ns + at_once_.usual_ns / 4;
    }

private:
    struct Way {
        int64_t usual_ns = 0;
        uint32_t count = 0;
    };

    static void move(int64_t& usual_ns, int64_t ns) {
        const int64_t counted_ns = usual_ns == 0 ? ns : std::min(ns, kTimes * usual_ns);
        usual_ns += usual_ns == 0 ? counted_ns : (counted_ns - usual_ns) / 8;
    }

    int64_t usual_ns_ = 0;
    Way at_once_;
    Way waiting_;
    uint32_t bursts_ = 0;
};

}  // namespace xsched::sched
