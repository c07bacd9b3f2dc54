// The events of commands that stand (queue/standing.h): a command of another queue that waits for one of them stands as
// well. An event is in the set from when its command was launched until it is complete. A reference of ours keeps it
// alive until then, so no other event has its address. Any thread; one comparison while nothing stands.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// Notes the event. If there is no memory, it is left out: work that waits for it counts as work for the device.
void note_standing_event(cl_event event);
bool is_standing_event(cl_event event);
void forget_standing_event(cl_event event);

}  // namespace xsched::opencl
