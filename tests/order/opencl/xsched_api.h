// The C API of the XSched libraries as the checker for OpenCL finds it.
#pragma once

#include "order/core/xsched_api.h"
#include "order/opencl/cl.h"

namespace order::opencl {

inline const XSched<cl_command_queue>& xsched() {
    static const XSched<cl_command_queue> it("libhalopencl.so.1", "Ocl");
    return it;
}

}  // namespace order::opencl
