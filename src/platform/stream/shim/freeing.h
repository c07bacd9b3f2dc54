// Decides when calls that free device memory are made (free_wait.h). XSCHED_DEBUG=scrub_rate=0: at once. Any thread.
#pragma once

#include <cstdint>

namespace xsched::stream {

// Waits before a call that frees device memory, perhaps for some milliseconds, without holding a lock. Returns for how
// long the driver will scrub the memory, in ns; 0: that does not matter.
int64_t wait_to_free(uintptr_t memory);
// Notes that memory was freed whose scrubbing takes `scrubs_ns`. Call after the driver's call.
void note_freed(int64_t scrubs_ns);

}  // namespace xsched::stream
