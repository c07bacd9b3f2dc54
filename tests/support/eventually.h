// Waiting in tests: for what must happen, and for what must not. Any thread.
#pragma once

#include <chrono>
#include <thread>

namespace xsched::test {

inline constexpr int kPatienceMs = 20'000;

// Polls until `condition` holds; false if it does not within `timeout_ms`.
template <typename Condition>
bool eventually(Condition condition, int timeout_ms = kPatienceMs) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
}

// Long enough for work that is wrongly let go to be done; too short does not fail a test.
inline void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace xsched::test
