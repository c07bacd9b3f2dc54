// Whether a device takes value operations, and on which words: its first context or stream tries it. Any thread.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "platform/stream/hal/signals.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

void say_no_gates(const HwQueue& hwq, const char* why, Result code);
// `idle`: the stream may be used. Under a DriverUse.
bool value_operations_work(HwQueue& hwq, DevicePtr gate, bool idle);
// Returns whether that has not been tried yet.
bool value_operations_untried(const HwQueue& hwq);
bool value_operations_refused(const HwQueue& hwq);
// A device, and a context of it that is current.
struct DevicePlace {
    const Api& api;
    Context context;
    Device device;
};
// While the program makes a context or a stream: on a stream of our own, where the platform tries gates (kTriesGates).
void try_value_operations_early(const DevicePlace& place);
// While the program makes the queue: the driver's memory for its gate, where the device needs such.
void take_gate_memory(HwQueue& hwq);
// The device is reset: signals and an unclear trial's stream end. The next context or stream begins another trial.
void device_going(Device device);
// Returns the cost of a gate and of a report on its device.
XqGateCost gate_cost(const HwQueue& hwq);

// Level 2 where the device waits on a signal; elsewhere the scheduler's store to the slot does it.
XResult close_or_open(HwQueue& hwq, bool close);

}  // namespace xsched::stream
