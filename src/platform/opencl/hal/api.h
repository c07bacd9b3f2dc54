// The vendor's functions as this process reaches them: past our own exported entry points, and, where XSched is an
// OpenCL layer, below that layer.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
// The old entry points are part of the table like any other.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

namespace xsched::opencl {

// The functions that XSched itself calls (api/opencl.json).
struct ClApi {
#define NEEDED(name) decltype(cl_icd_dispatch::name) name = nullptr;
#include "functions.inc"
};

// False if a function is missing; then nothing can be scheduled.
inline bool complete(const ClApi& api) {
#define NEEDED(name) \
    if (api.name == nullptr) return false;
#include "functions.inc"
    return true;
}

}  // namespace xsched::opencl
