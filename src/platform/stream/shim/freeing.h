// When the driver's calls that free memory of the device are made (free_wait.h). XSCHED_DEBUG=scrub_rate=0: at once.
// Any thread.
#pragma once

#include <cstdint>

namespace xsched::stream {

// Before such a call. The thread may sleep for some milliseconds, and holds no lock meanwhile. Returns for how long the
// driver scrubs what is freed, in ns; 0: nobody needs to know.
int64_t wait_to_free(uintptr_t memory);
// Behind the call.
void note_freed(int64_t scrubs_ns);

}  // namespace xsched::stream
