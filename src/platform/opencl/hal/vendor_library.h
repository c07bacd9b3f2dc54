// The process's way to the vendor's OpenCL. Any thread.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// The functions to use: those handed over by the shim, else those of the library found by ourselves. nullptr: there
// is no usable OpenCL library.
const ClApi* vendor_api();

}  // namespace xsched::opencl
