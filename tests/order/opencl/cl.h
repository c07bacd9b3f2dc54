// The OpenCL headers as the order checker wants them: version 3.0, deprecated functions included.
// The OpenCL headers with the old forms of markers and barriers, which programs still use.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
