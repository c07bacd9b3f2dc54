// Gates before commands, which keep them from starting while the queue is suspended, and reports behind them, which
// tell what has completed: stream wait-values and write-values on words of the slot, or events if the device cannot do
// these. Threads of the program.
#pragma once

#include "platform/stream/hal/driver_use.h"
#include "queue/device.h"

namespace xsched::stream {

extern const XqGateOps kGateOps;

// Makes sure that the device addresses of the queue's words are valid. Under a DriverUse.
bool words_in_place(HwQueue& hwq, const DriverUse& use);
// Returns whether the device addresses of the queue's words are still valid. Any thread.
bool words_hold(const HwQueue& hwq);

}  // namespace xsched::stream
