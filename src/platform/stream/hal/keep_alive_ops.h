// A keep-alive where the platform switches contexts (kSwitchesContexts): work for nothing behind the program's own.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

extern const XqKeepAliveOps kKeepAliveOps;

// Where the platform switches contexts (kSwitchesContexts; platform/<p>/hal/keep_alive.cpp): work that keeps the
// device. The stream may be used, its context is current.
Result prepare_keep_alive(const Api& api, Context context);
Result keep_alive(const Api& api, Context context, Stream stream, DevicePtr word, uint32_t number, int64_t ns,
                  int64_t followed_ns);

}  // namespace xsched::stream
