// Level 3: takes what streams of this process run on AMD GPUs off them, and puts it back, by suspending compute queues
// in the kernel driver (kfd_control.h). Written from the driver's sources and tested on an emulator; not measured on
// hardware.
//
// Where the HSA runtime's queues are observed (hsa_observer.h), a queue is stopped when those streams ask that use it,
// and all of a GPU's when all of its streams ask; else all compute queues of the process are stopped together, when
// every scheduled stream asks for it (stop_choice.h). The driver takes these calls from the owner of the queues alone,
// so a client that does not answer cannot be helped.
//
// join_interrupts and the rest of platform/stream/hal/hwqueue.h's level 3 are here as well. Any thread may call any
// function; none calls HIP.
#pragma once

#include "platform/hip/hal/kfd_control.h"

namespace xsched::hip {

// One call to the kernel driver on its way (`next` makes it): records which queues it makes, changes and destroys.
int pass_ioctl(int fd, unsigned long request, void* argument, kfd::Ioctl next);

}  // namespace xsched::hip
