// The CUDA driver as the code shared by shims of streams (shim/stream) sees it: its types under names of their own, and
// each call it makes.
#pragma once

#include "device/cuda/cuda_api.h"
#include "xsched/types.h"

namespace xsched::stream {

using Api = cuda::CuApi;
using Stream = cuda::CUstream;
using Context = cuda::CUcontext;
using Event = cuda::CUevent;
using Graph = cuda::CUgraph;
using Kernel = cuda::CUfunction;
using Device = cuda::CUdevice;
using DevicePtr = cuda::CUdeviceptr;
using Result = cuda::CUresult;

inline constexpr Result kSuccess = cuda::CUDA_SUCCESS;

inline Context current_context(const Api& api) {
    Context context = nullptr;
    return api.cuCtxGetCurrent(&context) == kSuccess ? context : nullptr;
}

// Calls of our own leave no trace in CUDA's driver interface.
struct OwnCalls {
    explicit OwnCalls(const Api&) {}
    ~OwnCalls() {}
};

inline bool asks_capturing(const Api& api, Stream stream) {
    int status = cuda::CU_STREAM_CAPTURE_STATUS_NONE;
    // An error is one, too: the legacy stream beside a captured blocking stream.
    return api.cuStreamIsCapturing(stream, &status) != kSuccess || status != cuda::CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace xsched::stream
