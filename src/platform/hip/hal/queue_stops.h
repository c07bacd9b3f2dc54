// Suspends and resumes compute queues of this process in the kernel driver, by its ways (kfd_control.h). It remembers
// the ways that the driver refuses. Any thread, with a Turn unless a comment says otherwise; no call of HIP's.
#pragma once

#include "platform/hip/hal/driver_queues.h"
#include "xsched/types.h"

namespace xsched::hip {

constexpr uint32_t kAllWays = (1u << kfd::kWays) - 1;

// Says once in the log why there is no level 3. No turn needed.
void say_refused(const char* why);
// Returns the ways that must not be tried, as bits.
uint32_t out_of_question();
// `stop` and `go_on` have an element for each queue of the process. Suspends all marked queues, or none. Returns
// NotSupported if no way is left, and NotAllowed if it cannot be done at present.
XResult suspend_those(const bool* stop);
// Resumes the queues that may go on. A queue that cannot be resumed stays suspended.
void resume_those(const bool* go_on);

}  // namespace xsched::hip
