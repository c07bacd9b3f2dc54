// Suspends and resumes compute queues of this process in the kernel driver, by its ways (kfd_control.h). It remembers
// the ways that the driver refuses. Any thread, with a Turn unless a comment says otherwise; no call of HIP's.
#pragma once

#include "platform/hip/hal/driver_queues.h"
#include "xsched/types.h"

namespace xsched::hip {

constexpr uint32_t kAllWays = (1u << kfd::kWays) - 1;

// Says once in the log why there is no level 3. No turn needed.
void say_refused(const char* why);
// Ways, as bits, that are not to be tried.
uint32_t out_of_question();
// Both take an answer for each of the process's queues. Suspends all of those, or none. NotSupported: no way is left;
// NotAllowed: it cannot be done at present.
XResult suspend_those(const bool* stop);
// A queue that cannot be resumed stays suspended.
void resume_those(const bool* go_on);

}  // namespace xsched::hip
