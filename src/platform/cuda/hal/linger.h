// Kernels of XSched's own that keep the device while a program pauses (XqDeviceOps.linger). Any thread.
#pragma once

#include "vendor.h"

namespace xsched::cuda {

// The context goes, and its kernels with it.
void forget_linger(CUcontext context);

}  // namespace xsched::cuda
