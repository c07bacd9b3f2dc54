// A queue's slot as a client fills it that has no device.
#pragma once

#include "ipc/layout.h"
#include "xsched/types.h"

namespace xsched::test {

// Fills a slot for a queue at level 1, on the device with this number.
inline void make_slot(ipc::Region& region, unsigned at, uint64_t handle, uint64_t device, int32_t priority,
                      int64_t command_ns) {
    ipc::QueueSlot& slot = region.slots[at];
    slot.platform = kPlatformOpenCL;
    slot.handle = handle;
    slot.device = device;
    slot.levels = 1U << kPreemptLevelBlock;
    slot.level = kPreemptLevelBlock;
    slot.priority = priority;
    slot.utilization = UTILIZATION_MAX;
    slot.timeslice_us = TIMESLICE_DEFAULT;
    slot.command_ns = command_ns;
    slot.state = static_cast<uint32_t>(ipc::SlotState::kUsed);
    if (region.header.slot_end <= at) region.header.slot_end = at + 1;
}

}  // namespace xsched::test
