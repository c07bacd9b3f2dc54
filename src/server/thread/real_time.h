// The real-time class for a thread that should decide at once. A real-time thread that never rests would take a
// processor from every other program. So the thread must rest after its work; users who keep it busy only make it rest
// more.
#pragma once

#include <cstdint>

namespace xsched::server {

// Computes the rest of a thread that may work half of the time, or of several threads that together may. Work that is
// not yet balanced by sleep is owed. Pure; one thread.
class RealTimeBudget {
public:
    // Largest debt of processor time without a rest, so that a burst of passes is not interrupted.
    static constexpr int64_t kMostOwedNs = 5'000'000;
    // The debt never exceeds this, so an attack is forgotten soon after its end.
    static constexpr int64_t kMostEverOwedNs = 50'000'000;
    static constexpr int64_t kShortestRestNs = 50'000;
    // Longest rest of the thread, and so the longest delay of a decision during an attack. After a turn that is longer
    // than this, the rest may be as long as that turn.
    static constexpr int64_t kLongestRestNs = 500'000;

    // Returns how long to rest after a turn of the thread's loop, in ns; 0: no rest. Given: how long the thread slept
    // before, how long it worked, and how many threads share the half.
    int64_t rest_ns(int64_t slept_ns, int64_t worked_ns, uint32_t threads = 1);

private:
    int64_t owed_ns_ = 0;
};

// Runs the calling thread in the real-time class. The thread must be the one that made this object.
class RealTime {
public:
    // `rests`: false if the thread has a processor to itself and polls without sleeping.
    RealTime(int64_t now_ns, bool rests);

    // Call before the loop's thread sleeps. Sleeps itself if a rest is due. One system call. `threads`: the number of
    // such threads, which together may work half of the time of one.
    void turn_ends(int64_t now_ns, uint32_t threads = 1);

private:
    RealTimeBudget budget_;
    int64_t ended_ns_;  // the turn before
    int64_t used_ns_ = 0;  // processor time used up to the last turn
    bool granted_;
    bool rests_;
};

}  // namespace xsched::server
