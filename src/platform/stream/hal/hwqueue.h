// The device's side of an XQueue, for drivers with streams: implements a gated device (device.h) with stream
// wait-values as gates and write-values as progress. Level 2 if the driver has both, otherwise level 1; level 3 if the
// platform has it.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

// Makes a HwQueue; the stream's context is current. `retain`: keep the device's primary context alive if the stream is
// in that. nullptr: not a stream, or no memory.
HwQueue* make_hwqueue(const Api& api, StreamKind kind, Stream stream, Context context, bool retain);
const XqDeviceOps* ops_of(const HwQueue& hwq);

// Returns whether the environment asks for level 3.
bool interrupts_wanted();

// Joins the platform's level 3 (platform/<p>/hal/interrupt.cpp), which acts on all queues together, when all have
// asked. Returns false, after one INFO line, if there is none here.
bool join_interrupts(HwQueue& hwq);
void leave_interrupts(HwQueue& hwq);
// Returns whether the queue's timeslice can be set where it has no level 3 (kHasTimeslices). Call after
// join_interrupts.
bool join_timeslices(HwQueue& hwq);
// Interrupts the queue's work. Returns NotSupported if the driver has refused once: that is logged then, and later
// calls return NotSupported without asking the driver.
XResult interrupt(HwQueue& hwq, XqInterrupt how);
void restore(HwQueue& hwq);
XqStopState stop_state(HwQueue& hwq);
// Level 2 without gates, on platforms that can pause all of the process's work on a device (kPausesDevices): it pauses
// while all of the process's queues there ask. join_pauses returns false if the device is not paused, as by default.
bool join_pauses(HwQueue& hwq);
void leave_pauses(HwQueue& hwq);
XResult ask_pause(HwQueue& hwq, bool pause);

// Sets the timeslice, on platforms that have it (kHasTimeslices).
XResult set_timeslice(HwQueue& hwq, uint32_t us);

}  // namespace xsched::stream
