// The process's way to the vendor's OpenCL. Any thread.
#pragma once

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

// Returns the functions to use: those that the shim passed, otherwise those of the library that was found. nullptr:
// there is no usable OpenCL library.
const ClApi* vendor_api();

}  // namespace xsched::opencl
