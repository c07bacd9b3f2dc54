// The front thread's nice value: a good one while the thread does little, so that tools are answered at once. Users who
// keep it busy must not get it ahead of their neighbours' programs, so it is worse then. Measured with lists of 10,240
// queues on two processors: the p99 of a directive is 0.5 ms at nice -3 and 2.0 ms at -5. At 0 and -2 other users'
// tools waited for more than 100 ms beside connections that come and go (2026-11-23).
#pragma once

#include <cstdint>

namespace xsched::server {

// Tells from the processor time used whether a thread was busy lately. Pure; one thread.
class BusyWatch {
public:
    static constexpr int64_t kWindowNs = 50'000'000;
    static constexpr int64_t kRemembersNs = 1'000'000'000;

    explicit BusyWatch(int64_t now_ns) : began_ns_(now_ns) {}

    bool due(int64_t now_ns) const { return now_ns - began_ns_ >= kWindowNs; }
    // Returns whether the thread is busy; call it once due. `used_ns`: processor time of the thread until now. The
    // thread is busy if it used more than a fifth of a window, until a second has passed in which it did not.
    bool busy(int64_t now_ns, int64_t used_ns);

private:
    int64_t began_ns_;  // of the window
    int64_t used_ns_ = 0;  // until then
    int64_t until_ns_ = 0;
};

// Sets the nice value of the calling thread, which must be the one that made this object.
class FrontNice {
public:
    explicit FrontNice(int64_t now_ns);

    // Call it in every turn of the thread's loop. It costs a comparison, and some system calls twenty times a second.
    void look(int64_t now_ns) {
        if (watch_.due(now_ns)) choose(now_ns);
    }

private:
    void choose(int64_t now_ns);

    BusyWatch watch_;
    bool busy_ = false;
};

}  // namespace xsched::server
