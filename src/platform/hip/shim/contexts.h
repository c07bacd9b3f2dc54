// The life of devices. Before a device is reset its queues are destroyed, with open gates: otherwise the runtime would
// wait for work that no scheduler would resume. On AMD a context that a program creates is the device's own, and ends
// without its streams. Any thread.
#pragma once

#include "base/log.h"
#include "platform/hip/shim/platform.h"
#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/streams.h"

namespace xsched::hip {

using stream::Declared;
using stream::driver;
using stream::EntryPoint;

inline void device_going(stream::Context device) {
    stream::context_going(device);
    stream::memory::forget_memory_of(device);
}

// The calling thread's current device.
template <EntryPoint kEntry>
hipError_t device_reset() {
    XLOG_DEBG("%s", Declared<kEntry>::kName);
    device_going(stream::current_context(*HAL(api)()));
    return driver<kEntry>()();
}

template <EntryPoint kEntry>
hipError_t primary_reset(hipDevice_t device) {
    XLOG_DEBG("%s of device %d", Declared<kEntry>::kName, device);
    if (device >= 0) device_going(stream::context_of_device(device));
    return driver<kEntry>()(device);
}

}  // namespace xsched::hip
