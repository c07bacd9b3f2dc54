// When to look for a server again: at once, then after 20, 40, 80 ms and so on, up to 1 s; later after a server that
// refused this process. A server that is lost within a second of connecting counts as not found. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace xsched::agent {

class Backoff {
public:
    static constexpr int64_t kFirstNs = 20 * base::kMillisecond;
    static constexpr int64_t kLongestNs = base::kSecond;
    static constexpr int64_t kBriefNs = base::kSecond;
    static constexpr int64_t kRefusedNs = 30 * base::kSecond;

    void came(int64_t now_ns) { came_ns_ = now_ns; }
    // Records that the connection was lost. Returns whether it had lasted for a moment only.
    bool lost(int64_t now_ns) {
        const bool brief = came_ns_ != 0 && now_ns - came_ns_ < kBriefNs;
        if (!brief) next_ns_ = 0;
        came_ns_ = 0;
        return brief;
    }
    void refused() { next_ns_ = kRefusedNs; }
    // Returns how long to wait before the next try.
    int64_t take() {
        const int64_t now = next_ns_;
        next_ns_ = std::clamp(2 * next_ns_, kFirstNs, kLongestNs);
        return now;
    }

private:
    int64_t next_ns_ = 0;
    int64_t came_ns_ = 0;
};

}  // namespace xsched::agent
