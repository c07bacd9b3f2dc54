// A command queue that a driver has just made, whichever function made it: known from here on, with the priority that
// the program asked for. Any thread; errno stays.
#pragma once

#include "platform/opencl/shim/queues.h"

namespace xsched::opencl {

// Notes a queue that the driver has just made with these properties. `queue`: nullptr if the driver refused to make it.
// Returns `queue`.
cl_command_queue note_queue(cl_command_queue queue, cl_command_queue_properties flags);
cl_command_queue note_queue(cl_command_queue queue, const cl_queue_properties* properties);

}  // namespace xsched::opencl
