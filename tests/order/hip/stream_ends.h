// Streams on AMD's own runtime. It reads and writes a destroyed stream's memory when a program asks for an event that
// was last recorded there (hipEventQuery, hipEventSynchronize; 6.4.3 and 7.2.4, docs/hip-design.md). So a stream that
// the checker destroys ends there with the last such event. Any thread.
#pragma once

#include "order/hip/functions.h"

namespace hip {

void recorded(hipEvent_t event, hipStream_t stream);
hipError_t destroy_event(hipEvent_t event);
// hipStreamDestroy, now or later.
hipError_t end_stream(hipStream_t stream);

}  // namespace hip
