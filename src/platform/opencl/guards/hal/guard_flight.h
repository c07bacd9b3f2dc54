// One launch of a guarded kernel from its first pass to its end. Fields that change are guarded by the guard's lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/guards/hal/guard_memory.h"
#include "platform/opencl/guards/hal/guard_times.h"
#include "platform/opencl/guards/hal/guard_words.h"

namespace xsched::opencl {

class Guard;

struct GuardFlight {
    GuardFlight(Guard& its_guard, const XoclGuarded& launch);

    // Returns the work-group size for a pass after the first, which must have the same groups as the first pass.
    // nullptr: the driver chooses, as in the first pass.
    const size_t* rest_local();
    bool skipped() const { return words->word(kGuardSkipped).load(std::memory_order_acquire) != 0; }
    // Returns the most work-groups that the launch can have; 0: too many to have a word for each.
    size_t most_groups() const;

    Guard& guard;
    XoclGuarded what;  // its sizes point into this object
    size_t offset[3] = {};
    size_t global[3] = {1, 1, 1};
    size_t local[3] = {};
    GuardMemory* words = nullptr;
    cl_event open = nullptr;  // the user event that the tail waits for
    cl_event first = nullptr;
    GuardTimes* times = nullptr;

    uint32_t passes = 0;  // on their way
    bool stopped = false;  // groups are left, and the queue is deactivated
    bool mutual = false;  // its groups wait for each other
    cl_int status = CL_SUCCESS;
    int64_t begun_ns = 0;  // launched
    int64_t closed_before_ns = 0;  // how long the guard had been closed by then
    int64_t skipping_ns = 0;  // since when a pass that skipped groups has not ended; 0: none
    std::atomic<bool> reported{false};  // the first pass's end
    bool asked = false;  // look_for_dropped is at it
    bool left_behind = false;  // ended without a callback of the driver
    GuardFlight* next = nullptr;
    GuardFlight* before = nullptr;
};

}  // namespace xsched::opencl
