// XSched's own kernels that keep the device while a program pauses (XqKeepAliveOps). Any thread.
#pragma once

#include "vendor.h"

namespace xsched::cuda {

// Forgets the kernels of a context that is destroyed.
void forget_keep_alive(CUcontext context);

}  // namespace xsched::cuda
