// Whether a unit mainly copies lately: the device's copy engines do that beside others' kernels. A quarter of its
// commands is enough, since there are the events behind copies as well. A program that loads its parameters and then
// launches a few graphs in each second copies no more. Copies are counted when they are launched, and
// commands when they are complete: so a few of them say nothing.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <cstdint>

namespace xsched::sched {

class CopyShare {
public:
    static constexpr uint64_t kEnough = 16;
    static constexpr uint64_t kRemembered = 512;
    static constexpr int64_t kHalfLifeNs = 1'000'000'000;

    // So many copies have been launched and so many commands are complete, of all times. Fewer than before: its queues
    // are others.
    void observe(uint64_t copies, uint64_t completed, int64_t now_ns) {
        if (copies < seen_copies_ || completed < seen_completed_) *this = CopyShare{};
        copies_ += copies - seen_copies_;
        commands_ += completed - seen_completed_;
        seen_copies_ = copies;
        seen_completed_ = completed;
        for (; commands_ >= kRemembered; commands_ /= 2) copies_ /= 2;
        if (now_ns - halved_ns_ < kHalfLifeNs || commands_ < 2 * kEnough) return;
        halved_ns_ = now_ns;
        commands_ /= 2;
        copies_ /= 2;
    }
    bool some() const { return copies_ != 0; }
    bool mostly() const { return commands_ >= kEnough && 4 * copies_ >= commands_; }

private:
    uint64_t seen_copies_ = 0;
    uint64_t seen_completed_ = 0;
    uint64_t copies_ = 0;
    uint64_t commands_ = 0;
    int64_t halved_ns_ = 0;
};

}  // namespace xsched::sched
