// The real-time class for a thread that should decide at once. A real-time thread without rest would take a processor
// from everybody on the machine, so whoever keeps it busy only makes it rest after its work.
#pragma once

#include <cstdint>

namespace xsched::server {

// How long a thread must rest that may work half of the time, or of several threads that may together one of them. Work
// that is not yet made good by sleep is owed. Pure; one thread.
class RealTimeBudget {
public:
    static constexpr int64_t kMostOwedNs = 5'000'000;  // a burst of passes does not rest
    static constexpr int64_t kMostEverOwedNs = 50'000'000;  // an attack that is over is forgotten soon
    static constexpr int64_t kShortestRestNs = 50'000;
    static constexpr int64_t kLongestRestNs = 500'000;  // what a decision may come late beside an attack, or
                                                        // as long as the turn took, if that was longer

    // After a turn of the thread's loop: how long it slept before, how long it worked, how many threads share the half.
    // Nanoseconds to rest, 0: none.
    int64_t rest_ns(int64_t slept_ns, int64_t worked_ns, uint32_t threads = 1);

private:
    int64_t owed_ns_ = 0;
};

// Of the calling thread, which must be the one that made it.
class RealTime {
public:
    // `rests`: false where it has a processor to spare, and looks without sleeping.
    RealTime(int64_t now_ns, bool rests);

    // Before the thread of a loop sleeps. Sleeps itself where the budget says so. One system call.
    // `threads`: those like it, which together may work half of the time of one.
    void turn_ends(int64_t now_ns, uint32_t threads = 1);

private:
    RealTimeBudget budget_;
    int64_t ended_ns_;  // the turn before
    int64_t used_ns_ = 0;  // of the processor until then
    bool granted_;
    bool rests_;
};

}  // namespace xsched::server
