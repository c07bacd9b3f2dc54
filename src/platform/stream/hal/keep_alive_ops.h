// A keep-alive where the platform switches contexts (kSwitchesContexts): work for nothing behind the program's own.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"

namespace xsched::stream {

extern const XqKeepAliveOps kKeepAliveOps;

}  // namespace xsched::stream
