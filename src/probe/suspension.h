// Stops and starts a full queue by whatever means, and measures what that does. One thread.
#pragma once

#include <functional>

#include "busy_device.h"
#include "probe/trial.h"

namespace xsched::probe {

struct Stopping {
    uint32_t steps;    // of each kernel
    double kernel_ms;  // how long such a kernel takes
    size_t depth;      // kernels that are kept in the queue
    int rounds;
    std::function<void()> stop, start;  // called on a thread of its own; may throw std::exception
};

// Keeps the queue full while it is stopped and started. Returns what was seen, and whether the result is exact.
Json stop_in_rounds(busy::BusyDevice& device, const Stopping& stopping);

// Returns the steps with which a kernel takes that long.
uint32_t steps_for(busy::BusyDevice& device, double kernel_ms, const Settings& settings);

}  // namespace xsched::probe
