// Queues and immediate lists that the program creates: known from here on, with the priority that the program or the
// process has. Any thread; errno stays.
#pragma once

#include "platform/levelzero/shim/queues.h"

namespace xsched::levelzero {

// Returns the description with the priority of the process, if the program has set none. The driver's priority is for
// what the scheduler does not see; which program comes before which is the scheduler's to say.
// In an urgent program the queues of an NPU keep theirs: HIGH is the band REALTIME there (npu_band.h).
ze_command_queue_desc_t with_priority(ze_device_handle_t device, const ze_command_queue_desc_t& wanted);

// `list`: the immediate list that was made; nullptr: `handle` is a command queue.
void note_queue(const void* handle, ze_context_handle_t context, ze_device_handle_t device,
                ze_command_list_handle_t list, const ze_command_queue_desc_t& wanted);

// Creates by the driver's function, at first with the priority of the process.
template <typename Create>
ze_result_t create_with_priority(ze_device_handle_t device, const ze_command_queue_desc_t* wanted, Create create) {
    if (wanted == nullptr) return create(wanted);
    const ze_command_queue_desc_t ours = with_priority(device, *wanted);
    if (ours.priority == wanted->priority) return create(wanted);
    const ze_result_t result = create(&ours);
    return result == ZE_RESULT_SUCCESS ? result : create(wanted);
}

}  // namespace xsched::levelzero
