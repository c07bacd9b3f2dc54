// Streams on AMD's own runtime, which reads a destroyed stream's memory in two ways (docs/hip-design.md). One is a call
// about an event that was last recorded there (hipEventQuery, hipEventSynchronize; 6.4.3 and 7.2.4). The other is work
// of another thread in the NULL stream, which waits for all blocking streams (7.2.4). So a stream that the checker
// destroys ends there with the last such event, and a blocking one with its device. Any thread.
#pragma once

#include "order/hip/functions.h"

namespace hip {

void recorded(hipEvent_t event, hipStream_t stream);
hipError_t destroy_event(hipEvent_t event);
// hipStreamDestroy, now or later.
hipError_t end_stream(hipStream_t stream);

}  // namespace hip
