// Waits of the device for words in the host's memory (zexCommandListAppendWaitOnMemory). Any thread.
#pragma once

#include "fake/levelzero/objects.h"

namespace fake {

// Answers zeDriverGetExtensionFunctionAddress.
ze_result_t wait_function(void** address);
ze_result_t append_wait(ze_command_list_handle_t list, const uint32_t* word, uint32_t least, ze_event_handle_t signal);
// Call before memory of the driver's is freed.
void note_freed(ze_context_handle_t context, void* memory);

}  // namespace fake
