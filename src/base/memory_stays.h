// Says once that --evictable has no effect on a platform. Each library that includes this says so for its own platform.
#pragma once

#include <atomic>

#include "base/log.h"
#include "base/options.h"

namespace xsched::base {

inline void say_that_memory_stays(const char* platform) {
    static constinit std::atomic<bool> said{false};
    if (options().evictable == 0 || said.exchange(true, std::memory_order_relaxed)) return;
    XLOG_WARN("--evictable has no effect with %s: the program's memory stays on the device", platform);
}

}  // namespace xsched::base
