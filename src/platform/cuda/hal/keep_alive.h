// XSched's own kernels that keep the device in a program's short pauses (XqKeepAliveOps): while they run, the hardware
// does not switch to another process. Any thread.
#pragma once

#include "vendor.h"

namespace xsched::cuda {

// Forgets the kernels of a context that is destroyed.
void forget_keep_alive(CUcontext context);

}  // namespace xsched::cuda
