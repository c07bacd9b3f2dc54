// Signs of life of a server's two threads, for whoever looks after the server: its supervisor or a service manager.
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace xsched::server {

// Both threads beat at least this often, also while they have nothing to do.
inline constexpr int64_t kMostSilentSleepNs = base::kSecond;

// All zero in the beginning.
struct Beats {
    std::atomic<uint32_t> scheduling;  // in each pass
    std::atomic<uint32_t> front;       // in each loop of the main thread

    static void beat(std::atomic<uint32_t>& thread) { thread.fetch_add(1, std::memory_order_relaxed); }
};

}  // namespace xsched::server
