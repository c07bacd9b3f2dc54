// Which programs give way to programs that the scheduler does not see, by the priorities of the driver or the device.
#pragma once

#include "base/options.h"
#include "xsched/hint.h"

namespace xsched::levelzero {

// `priority`: the program's, or a queue's. A program in the background is always low.
inline bool is_low(int64_t priority) { return priority < PRIORITY_DEFAULT || base::options().background != 0; }

}  // namespace xsched::levelzero
