// The most that the units of a device may lose for something that a more urgent unit may not need: one part in fifty of
// the device's time per account, and some milliseconds at once. An expense that turns out to be needed is refunded.
//
// Pure; one object per device; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/facts/times.h"

namespace xsched::sched {

class Account {
public:
    // Returns the part of this time that may be lost.
    static constexpr int64_t part_of(int64_t ns) { return ns / kPart; }
    // Returns how much may be lost at once: what was saved up in half a second (decision 009).
    static constexpr int64_t most_saved_ns() { return part_of(kProvenNs); }

    void use(bool used) { used_ = used; }
    bool used() const { return used_; }
    bool take(int64_t ns, int64_t now_ns) {
        const int64_t passed_ns = std::max<int64_t>(now_ns - counted_ns_, 0);
        if (counted_ns_ != 0) saved_ns_ = std::min(saved_ns_ + part_of(passed_ns), most_saved_ns());
        // A remainder of less than a whole part counts next time.
        counted_ns_ = counted_ns_ == 0 || saved_ns_ == most_saved_ns() ? now_ns : now_ns - passed_ns % kPart;
        if (!used_ || ns > saved_ns_) return false;
        saved_ns_ -= ns;
        return true;
    }
    void give_back(int64_t ns) { saved_ns_ = std::min(saved_ns_ + ns, most_saved_ns()); }

private:
    static constexpr int64_t kPart = 50;

    int64_t saved_ns_ = most_saved_ns();
    int64_t counted_ns_ = 0;
    bool used_ = true;
};

struct Budget {
    Account precautions;  // pays for units whose pattern is not known yet, or may have changed
    Account foresight;  // pays for bursts that are foreseen
};

// A pause of a unit in which the device was reserved for longer than its think times justify.
struct LongerPause {
    int64_t idle_since_ns = 0;
    int64_t taken_ns = 0;
    int64_t until_ns = 0;
};

}  // namespace xsched::sched
