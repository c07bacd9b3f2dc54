// Tells whether a unit mainly copied recently: copy engines work beside the kernels of others. A quarter of its
// commands suffices, since the events behind copies are commands too. A program that loads its parameters and then
// launches a few graphs per second no longer counts. Copies are counted at launch and commands at completion, so a few
// of them say nothing. A unit that copies many bytes per command, on average, does nothing else worth mentioning.
//
// Pure; one object per unit; not thread-safe; no allocation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

class CopyShare {
public:
    static constexpr uint64_t kEnough = 16;
    static constexpr uint64_t kRemembered = 512;
    // Bytes per command from which a unit only copies. Pieces of 100 us are 5 MiB long, and pieces of pageable memory
    // as well (queue/path/copy_rates.h).
    static constexpr uint64_t kLargeBytes = uint64_t{4} << 20;

    // Takes the counts since the unit began: copies launched, their bytes, and commands completed. A smaller count than
    // before means that its queues are new ones.
    void observe(uint64_t copies, uint64_t bytes, uint64_t completed, int64_t now_ns) {
        if (copies < seen_copies_ || completed < seen_completed_) *this = CopyShare{};
        copies_ += copies - seen_copies_;
        bytes_ += std::max(bytes, seen_bytes_) - seen_bytes_;
        commands_ += completed - seen_completed_;
        seen_copies_ = copies;
        seen_bytes_ = bytes;
        seen_completed_ = completed;
        while (commands_ >= kRemembered) halve();
        if (now_ns - halved_ns_ < kLatelyNs || commands_ < 2 * kEnough) return;
        halved_ns_ = now_ns;
        halve();
    }
    bool some() const { return copies_ != 0; }
    bool mostly() const { return commands_ >= kEnough && 4 * copies_ >= commands_; }
    bool only() const { return mostly() && bytes_ / commands_ >= kLargeBytes; }

private:
    void halve() {
        commands_ /= 2;
        copies_ /= 2;
        bytes_ /= 2;
    }

    uint64_t seen_copies_ = 0;
    uint64_t seen_bytes_ = 0;
    uint64_t seen_completed_ = 0;
    uint64_t copies_ = 0;
    uint64_t bytes_ = 0;
    uint64_t commands_ = 0;
    int64_t halved_ns_ = 0;
};

}  // namespace xsched::sched
