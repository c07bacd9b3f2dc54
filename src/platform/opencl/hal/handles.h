// Tells whether a handle that a program gives is valid. Random numbers, memory of other things, and destroyed queues
// must not be followed. Looks before it asks the driver. For the public interface, not for launches. Any thread.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// Returns false if the handle is no command queue of any platform here. Returns true if it is one, as far as can be
// seen without following it.
bool is_queue(const ClApi& api, cl_command_queue queue);

}  // namespace xsched::opencl
