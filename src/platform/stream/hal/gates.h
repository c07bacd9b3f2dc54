// Gates before commands and reports behind them: stream wait-values and write-values on words of the slot, or events
// where the device takes none of these. Threads of the program.
#pragma once

#include "platform/stream/hal/driver_use.h"
#include "queue/device.h"

namespace xsched::stream {

extern const XqGateOps kGateOps;

// Under a DriverUse: the device addresses of the queue's words hold, or hold again.
bool words_in_place(HwQueue& hwq, const DriverUse& use);
// Whether they hold as they are. Any thread.
bool words_hold(const HwQueue& hwq);

}  // namespace xsched::stream
