// The front thread's place among others: well ahead of ordinary threads for as long as it does little, so that tools
// are answered. Strangers who keep it busy must not let it go before the programs that they share the machine with.
// Beside lists of 10,240 queues, two processors, the p99 of a directive was 0.5 ms with a nice value of -3. It was 2.0
// ms with -5; with 0 and -2 other users' tools waited for more than 100 ms beside connections that come and go
// (2026-11-23).
#pragma once

#include <cstdint>

namespace xsched::server {

// Whether a thread was busy lately, by the processor time that it used. Pure; one thread.
class BusyWatch {
public:
    static constexpr int64_t kWindowNs = 50'000'000;
    static constexpr int64_t kRemembersNs = 1'000'000'000;

    explicit BusyWatch(int64_t now_ns) : began_ns_(now_ns) {}

    bool due(int64_t now_ns) const { return now_ns - began_ns_ >= kWindowNs; }
    // Once due: `used_ns` is all processor time of the thread until now. Busy is more than a fifth of a window, until a
    // second has passed without.
    bool busy(int64_t now_ns, int64_t used_ns);

private:
    int64_t began_ns_;  // of the window
    int64_t used_ns_ = 0;  // until then
    int64_t until_ns_ = 0;
};

// Of the calling thread, which must be the one that made it.
class FrontNice {
public:
    explicit FrontNice(int64_t now_ns);

    // Call it with every turn of the thread's loop: a comparison, and some system calls twenty times a second.
    void look(int64_t now_ns) {
        if (watch_.due(now_ns)) choose(now_ns);
    }

private:
    void choose(int64_t now_ns);

    BusyWatch watch_;
    bool busy_ = false;
};

}  // namespace xsched::server
