// Kernels of XSched's own that keep the device while a program pauses (XqKeepAliveOps). Any thread.
#pragma once

#include "vendor.h"

namespace xsched::cuda {

// The context goes, and its kernels with it.
void forget_keep_alive(CUcontext context);

}  // namespace xsched::cuda
