// Says once that an option about memory has no effect on a platform. Each library that includes this says so for its
// own platform.
#pragma once

#include <atomic>

#include "base/log.h"
#include "base/options.h"

namespace xsched::base {

inline void say_that_memory_stays(const char* platform) {
    static constinit std::atomic<bool> said{false};
    const Options& asked = options();
    const char* const option = asked.evictable != 0          ? "--evictable"
                               : asked.memory_limit != 0     ? "--memory-limit"
                               : asked.memory_guarantee != 0 ? "--memory-guarantee"
                                                             : nullptr;
    if (option == nullptr || said.exchange(true, std::memory_order_relaxed)) return;
    XLOG_WARN("%s has no effect with %s: the program's memory stays on the device and is not counted", option,
              platform);
}

}  // namespace xsched::base
