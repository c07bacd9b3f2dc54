// The command that CUDA alone has: a launch on several devices. All others are in shim/stream/launch.h.
#pragma once

#include "shim/cuda/platform.h"
#include "shim/stream/launch.h"

namespace xsched::cuda {

// cuLaunchCooperativeKernelMultiDevice: each launch is a command of its own stream. (launch.cpp)
CUresult launch_on_several(CUDA_LAUNCH_PARAMS* list, unsigned count, unsigned flags);

}  // namespace xsched::cuda
