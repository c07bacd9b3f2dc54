// The real-time class for a thread that should decide at once, for as long as it does little. One that strangers keep
// busy gives the class up: a real-time thread without rest would take a processor from everybody on the machine.
#pragma once

#include <cstdint>

namespace xsched::server {

// Whether a thread may be of the class, by the processor time that it used. Pure; one thread.
class RealTimeBudget {
public:
    static constexpr int64_t kWindowNs = 100'000'000;
    static constexpr int64_t kRestNs = 1'000'000'000;  // that it stays an ordinary thread, at least

    explicit RealTimeBudget(int64_t now_ns) : began_ns_(now_ns) {}

    bool due(int64_t now_ns) const { return now_ns - began_ns_ >= kWindowNs; }
    // Once due: `used_ns` is all processor time of the thread until now. At most half of a window may be used.
    bool may(int64_t now_ns, int64_t used_ns);

private:
    int64_t began_ns_;      // of the window
    int64_t used_ns_ = 0;   // until then
    int64_t rests_until_ns_ = 0;
};

// Of the calling thread, which must be the one that made it.
class RealTime {
public:
    explicit RealTime(int64_t now_ns);

    // Call it with every turn of the thread's loop: a comparison, and some system calls ten times a second.
    void look(int64_t now_ns) {
        if (asked_ && budget_.due(now_ns)) keep_or_give_up(now_ns);
    }

private:
    void keep_or_give_up(int64_t now_ns);

    RealTimeBudget budget_;
    bool asked_;  // and granted
    bool has_;
};

}  // namespace xsched::server
