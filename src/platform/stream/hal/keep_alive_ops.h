// Keep-alives on platforms that switch contexts (kSwitchesContexts): commands without effect behind the program's own,
// so that the hardware does not switch to another process in the program's short pauses.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "queue/device.h"
#include "vendor.h"

namespace xsched::stream {

extern const XqKeepAliveOps kKeepAliveOps;

// Prepares the work that keeps the device (platform/<p>/hal/keep_alive.cpp). The context is current, and the stream may
// be used.
Result prepare_keep_alive(const Api& api, Context context);
Result keep_alive(const Api& api, Context context, Stream stream, DevicePtr word, uint32_t number, int64_t ns,
                  int64_t followed_ns);

}  // namespace xsched::stream
