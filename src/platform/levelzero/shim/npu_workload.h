// The workload types of an NPU's queues, by the extension ZE_extension_command_queue_npu. Later work of
// a queue of the type BACKGROUND runs in the lowest priority band. This is the only one of the driver's priorities that
// can change while a program runs. A program may set the types of its queues as well. It gets our function in the
// extension's table, so that XSched never gives a queue a type above what the program asked for. Any thread; errno
// stays.
#pragma once

#include "platform/levelzero/shim/queues.h"

namespace xsched::levelzero {

// Call before an NPU's queue gets lists: gives it the type that its priority asks for, if that has changed.
void follow_priority(Queue& queue, ze_command_queue_handle_t handle);

// Returns what the program gets in place of the driver's table for the extension of that name: the table itself if it
// is not the NPU's. `wanted`: the version that the program asks for, or kAnyVersion.
inline constexpr uint32_t kAnyVersion = UINT32_MAX;
void* extension_table(ze_driver_handle_t driver, const char* name, uint32_t wanted, void* table);

}  // namespace xsched::levelzero
