// Signs of life of the server's two threads, for the process that watches the server: its supervisor or a service
// manager. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace xsched::server {

// Each thread beats at least this often, also while it has nothing to do.
inline constexpr int64_t kMostSilentSleepNs = base::kSecond;

// Heartbeat counters; all start at zero.
struct Beats {
    std::atomic<uint32_t> scheduling;  // in each pass
    std::atomic<uint32_t> front;       // counts the loops of the main thread

    static void beat(std::atomic<uint32_t>& thread) { thread.fetch_add(1, std::memory_order_relaxed); }
};

}  // namespace xsched::server
