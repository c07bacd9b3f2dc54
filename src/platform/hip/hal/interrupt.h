// Level 3: takes everything that this process runs on AMD GPUs off them, and puts it back, by suspending its compute
// queues in the kernel driver (kfd_control.h). Written from the driver's sources and tested on an emulator; not
// measured on hardware.
//
// The runtime maps streams to a few such queues, and says nowhere how. So all compute queues of the process stand
// together, on all its GPUs: when every scheduled stream asks for it, until the first of them does not any more. The
// driver takes these calls from the owner of the queues alone, so a client that does not answer cannot be helped.
//
// join_interrupts and the rest of platform/stream/hal/hwqueue.h's level 3 are here as well. Any thread may call any
// function; none calls HIP.
#pragma once

#include "platform/hip/hal/kfd_control.h"

namespace xsched::hip {

// One call to the kernel driver on its way (`next` makes it): records which queues it makes, changes and destroys.
int pass_ioctl(int fd, unsigned long request, void* argument, kfd::Ioctl next);

}  // namespace xsched::hip
