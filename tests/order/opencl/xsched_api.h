// The C API of the XSched libraries as the checker for OpenCL finds it.
#pragma once

#include "order/core/xsched_api.h"
#include "order/opencl/cl.h"

namespace order::opencl {

inline constexpr XSchedOnDemand<cl_command_queue> xsched{"libhalopencl.so.1", "Ocl"};

}  // namespace order::opencl
