// Whether a handle that a program gives is one: numbers that never were, memory of other things, and queues that are
// gone must not be followed. Looks before it asks the driver; for the public interface, not for the path of a launch.
// Any thread.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// False: no command queue of any platform here. True: as far as can be seen without one.
bool is_queue(const ClApi& api, cl_command_queue queue);

}  // namespace xsched::opencl
