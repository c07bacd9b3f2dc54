// The process's way to the vendor's CUDA driver. Any thread.
#pragma once

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {

// The functions to use, looked up in the driver at the first call; they never change. nullptr: there is no CUDA driver,
// or one that nothing can be scheduled on; the log has said so.
const CuApi* vendor_api();

}  // namespace xsched::cuda
