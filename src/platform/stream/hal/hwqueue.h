// The device's side of an XQueue, for drivers with streams: what device.h asks of a gated device, with stream
// wait-values as gates and stream write-values as progress. Level 2 where the driver has both, else level 1; level 3
// where the platform has it.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// The stream's context is current. `retain`: keep the device's primary context alive if that is it. nullptr: not a
// stream, or no memory.
HwQueue* make_hwqueue(const Api& api, StreamKind kind, Stream stream, Context context, bool retain);
const XqDeviceOps* ops_of(const HwQueue& hwq);

// Whether the environment asks for level 3.
bool interrupts_wanted();

// The platform's level 3 (platform/<p>/hal/interrupt.cpp), which acts on more than a queue: when all have asked. False:
// there is none here, and one INFO line has said why.
bool join_interrupts(HwQueue& hwq);
void leave_interrupts(HwQueue& hwq);
// NotSupported: refused, the log has said why, and it is not tried again.
XResult interrupt(HwQueue& hwq, XqInterrupt how);
void restore(HwQueue& hwq);
XqStopState stop_state(HwQueue& hwq);
// Where the platform has it (kHasTimeslices).
XResult set_timeslice(HwQueue& hwq, uint32_t us);

}  // namespace xsched::stream
