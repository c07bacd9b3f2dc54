// Which of two ways to keep a victim off lets the urgent unit finish its bursts sooner, where only measurement tells.
// Some bursts go in the first way, as many in the second, then all in the better one, and now and then some in the
// other. Off by default (XSCHED_TRIALS=1 turns them on), because the urgent unit pays for trials. On an H100 ResNet-18
// beside ResNet-50 gained: its p50 was 4.44 ms instead of 4.69 (alone 4.10), though on different builds. BERT beside
// training lost: 16 of its 594 requests were trials, which took 3.05 ms instead of 1.13.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include <array>
#include <cstdint>

namespace xsched::sched {

class Trials {
public:
    static constexpr unsigned kBursts = 8;        // of each way; what is compared are their medians
    static constexpr unsigned kFew = 3;           // if none of the first few is shorter than usual, the trial ends
    static constexpr unsigned kAgainAfter = 500;  // bursts in the better way; twice as many each time it stays so
    static constexpr unsigned kMostAgainAfter = 16'000;
    static constexpr int64_t kClearPercent = 3;   // shorter, or all stays as it is

    // A burst of that unit took so long while the victim was kept off in that way, 0 or 1. Another unit begins anew.
    void note(unsigned way, uint64_t unit, int64_t ns);
    // The way to take for the next one.
    unsigned next() const { return next_; }

private:
    struct Way {
        std::array<int64_t, kBursts> last_ns{};
        unsigned bursts = 0;
        bool known() const { return bursts >= kBursts; }
        int64_t median() const;  // once it is known
        int64_t shortest() const;  // of what there is
    };
    bool clearly_shorter(unsigned way) const;
    bool hopeless() const;
    void settle(unsigned better);

    std::array<Way, 2> ways_;
    uint64_t unit_ = 0;
    unsigned better_ = 0;
    unsigned next_ = 0;
    bool settled_ = false;
    unsigned since_ = 0;  // bursts since it was
    unsigned again_after_ = kAgainAfter / 2;  // doubled when the first trial changes nothing
};

}  // namespace xsched::sched
