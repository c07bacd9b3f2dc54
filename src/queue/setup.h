// The settings that a queue is made with, and the place where it publishes its state.
#pragma once

#include <cstdint>

#include "base/hints.h"
#include "ipc/layout.h"
#include "queue/device.h"

namespace xsched::queue {

struct Setup : base::Hints {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    HwQueueHandle hwq = 0;
    uint64_t vendor = 0;
    XDevice device = 0;
    uint32_t context = 0;       // number of the context, as in QueueSlot
    uint32_t level = 0;         // XPreemptLevel, already checked against ops->levels
    bool level_chosen = false;  // a program or person chose this level
    uint32_t flags = 0;         // XQueueCreateFlag
    uint32_t threshold = 0;
    uint32_t batch_size = 0;
};

// A slot of the memory shared with the scheduler, or of private memory.
struct Placement {
    ipc::Header* header = nullptr;
    ipc::QueueSlot* slot = nullptr;
};

}  // namespace xsched::queue
