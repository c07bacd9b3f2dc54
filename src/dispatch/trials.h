// Which of two ways to keep a victim off lets the urgent unit finish its bursts sooner, where nothing but trying tells.
// Some bursts in the first way, as many in the second, then all in the better one; now and then some in the other. A
// trial is what the urgent unit pays for: one that begins badly is not gone on with, and those that change nothing
// become rare.
//
// Pure; not thread-safe; no allocation.
#pragma once

#include <array>
#include <cstdint>

namespace xsched::dispatch {

class Trials {
public:
    static constexpr unsigned kBursts = 8;        // of each way; what is compared are their medians
    static constexpr unsigned kFew = 3;           // none of the first few shorter than usual: given up
    static constexpr unsigned kAgainAfter = 500;  // bursts in the better way; twice as many each time it stays so
    static constexpr unsigned kMostAgainAfter = 16'000;
    static constexpr int64_t kClearPercent = 3;   // shorter, or all stays as it is

    // A burst of that unit took so long; the victim was kept off in that way, 0 or 1. Another unit begins anew.
    void note(unsigned way, uint64_t unit, int64_t ns);
    // The way to take for the next one.
    unsigned next() const { return next_; }

private:
    struct Way {
        std::array<int64_t, kBursts> last_ns{};
        unsigned bursts = 0;
        bool known() const { return bursts >= kBursts; }
        int64_t median() const;    // once it is known
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

}  // namespace xsched::dispatch
