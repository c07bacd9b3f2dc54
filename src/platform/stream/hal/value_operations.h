// Tells whether a device supports value operations, and on which words. The device's first context or stream tries it.
// Any thread.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "platform/stream/hal/signals.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

void say_no_gates(const HwQueue& hwq, const char* why, Result code);
// Returns whether value operations work on the queue's gate. `idle`: the stream may be used for a trial. Under a
// DriverUse.
bool value_operations_work(HwQueue& hwq, DevicePtr gate, bool idle);
// Returns whether it is not known yet if value operations work.
bool value_operations_untried(const HwQueue& hwq);
bool value_operations_refused(const HwQueue& hwq);
// A device, and a context of it that is current.
struct DevicePlace {
    const Api& api;
    Context context;
    Device device;
};
// Tries on a stream of our own, while the program creates a context or a stream, if the platform tries gates
// (kTriesGates).
void try_value_operations_early(const DevicePlace& place);
// Takes the driver's memory for the queue's gate if the device needs it. Called while the program creates the queue.
void take_gate_memory(HwQueue& hwq);
// Forgets the signals of a device that is reset, and the stream of a trial without a result. The next context or stream
// starts another trial.
void device_going(Device device);
// Returns the cost of a gate and of a report on its device.
XqGateCost gate_cost(const HwQueue& hwq);

// Closes or opens the queue by its signal, for level 2 on devices that wait on signals. On other devices the
// scheduler's store to the slot does it.
XResult close_or_open(HwQueue& hwq, bool close);

}  // namespace xsched::stream
