// The names of the process's devices, for people: told by the backends, passed on to the scheduler. Any thread; no
// lock, off the launch path.
#pragma once

#include "ipc/layout.h"

namespace xsched::queue {

// Names a device. The first name counts, for the first ipc::kMostDeviceNames devices.
void name_device(uint64_t device, const char* name);
// Writes the names into a header. Called for a new header, and from time to time, since a name comes with a device's
// first queue.
void publish_device_names(ipc::Header& header);

}  // namespace xsched::queue
