// The names of the process's devices, for people: told by the backends, passed on to the scheduler. Any thread; no
// lock, off the launch path.
#pragma once

#include "ipc/layout.h"

namespace xsched::queue {

// The first name of a device counts, and the first ipc::kMostDeviceNames devices.
void name_device(uint64_t device, const char* name);
// Into a header that has not been published in, and now and then again: names come with the first queue of a device.
void publish_device_names(ipc::Header& header);

}  // namespace xsched::queue
