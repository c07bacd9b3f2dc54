// When a program whose memory could not be moved is tried again: its threads were kept off the device in vain, so it is
// left alone for a while, and each time for twice as long. Errands' thread alone.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace xsched::cuda {

class MoveBackOff {
public:
    // The first pause is as many times as long as the wait in vain: so the program's threads are kept off for a fifth
    // of the time at most (judgement).
    static constexpr int64_t kPausesPerWait = 4;
    // How often the pause is doubled: with waits of 10 s it then lasts 43 minutes (judgement).
    static constexpr unsigned kMostDoublings = 6;

    bool lasts(int64_t now_ns) const { return now_ns < until_ns_; }
    // Begins a pause after a wait of `wait_ns` in vain. Returns how long it lasts.
    int64_t begin(int64_t now_ns, int64_t wait_ns) {
        const int64_t pause_ns = (kPausesPerWait * wait_ns) << doublings_;
        if (doublings_ < kMostDoublings) ++doublings_;
        until_ns_ = now_ns + pause_ns;
        return pause_ns;
    }
    // The memory has moved.
    void end() { *this = MoveBackOff{}; }

private:
    int64_t until_ns_ = 0;
    unsigned doublings_ = 0;
};

}  // namespace xsched::cuda
