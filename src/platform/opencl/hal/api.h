// The vendor's functions as this process reaches them: past our own exported entry points, and, where XSched is an
// OpenCL layer, below that layer.
#pragma once

// Includes OpenCL 3.0 with its deprecated functions (hal/CMakeLists.txt defines that for every file).
#include <CL/cl_icd.h>

namespace xsched::opencl {

// The functions that XSched itself calls (api/opencl.json).
struct ClApi {
#define NEEDED(name) decltype(cl_icd_dispatch::name) name = nullptr;
#include "functions.inc"
};

// Returns false if a function is missing, without which nothing can be scheduled.
inline bool complete(const ClApi& api) {
#define NEEDED(name) \
    if (api.name == nullptr) return false;
#include "functions.inc"
    return true;
}

}  // namespace xsched::opencl
