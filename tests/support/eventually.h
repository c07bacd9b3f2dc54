// Waiting in tests: for what must happen, and for what must not. Any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace xsched::test {

inline constexpr int kPatienceMs = 20'000;

// Polls until `condition` holds; false if it does not within `timeout_ms`. If the whole machine stands still for long,
// at most a quarter of the patience is used up by that.
template <typename Condition>
bool eventually(Condition condition, int timeout_ms = kPatienceMs) {
    using Clock = std::chrono::steady_clock;
    const Clock::duration patience = std::chrono::milliseconds(timeout_ms);
    Clock::duration spent{0};
    Clock::time_point looked = Clock::now();
    while (!condition()) {
        const Clock::time_point now = Clock::now();
        spent += std::min(now - std::exchange(looked, now), patience / 4);
        if (spent > patience) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
}

// Waits long enough for work that was wrongly let go to be done. If the wait is too short, a test passes although it
// should fail, but never the reverse.
inline void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace xsched::test
