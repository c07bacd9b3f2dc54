// When to look for a server again: at once, then after 20, 40, 80 ms and so on up to a second; a good while after one
// that refused us. A server that is lost within a second of coming counts as one that did not come. One thread.
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
    // True: it was there for a moment only.
    bool lost(int64_t now_ns) {
        const bool brief = came_ns_ != 0 && now_ns - came_ns_ < kBriefNs;
        if (!brief) next_ns_ = 0;
        came_ns_ = 0;
        return brief;
    }
    void refused() { next_ns_ = kRefusedNs; }
    // How long to wait before this try.
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
