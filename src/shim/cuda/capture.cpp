#include "shim/cuda/capture.h"

namespace xsched::cuda {

constinit std::atomic<int32_t> g_captures{0};

bool asks_capturing(CUstream stream, bool per_thread) {
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver<kEntry_cuStreamIsCapturing>()(plain_handle(stream, per_thread), &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace xsched::cuda
