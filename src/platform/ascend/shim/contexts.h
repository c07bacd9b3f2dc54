// The life of devices and contexts. Before a context ends, or its device is reset, the XQueues of its streams end. If
// others still hold the device, their streams get new XQueues at their next command. Any thread.
#pragma once

#include "base/log.h"
#include "platform.h"
#include "platform/stream/shim/early.h"
#include "platform/stream/shim/streams.h"

namespace xsched::ascend {

// Ends the XQueues of all streams of the device; -1: of every device. (contexts.cpp)
void device_going(int32_t device);

template <stream::EntryPoint kEntry>
aclError set_device(int32_t device) {
    const aclError code = stream::driver<kEntry>()(device);
    if (code == ACL_SUCCESS) stream::device_used();
    return code;
}

template <stream::EntryPoint kEntry>
aclError create_context(aclrtContext* context, int32_t device) {
    const aclError code = stream::driver<kEntry>()(context, device);
    if (code == ACL_SUCCESS) stream::device_used();
    return code;
}

template <stream::EntryPoint kEntry>
aclError destroy_context(aclrtContext context) {
    stream::context_going(context);
    return stream::driver<kEntry>()(context);
}

template <stream::EntryPoint kEntry>
aclError reset_device(int32_t device) {
    XLOG_DEBG("%s of device %d", stream::Declared<kEntry>::kName, device);
    device_going(device);
    return stream::driver<kEntry>()(device);
}

template <stream::EntryPoint kEntry, typename... Arguments>
aclError finalize(Arguments... arguments) {
    device_going(-1);
    return stream::driver<kEntry>()(arguments...);
}

}  // namespace xsched::ascend
