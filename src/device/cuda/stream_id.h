// Which stream a handle means, and the number under which it is registered as a HwQueue.
#pragma once

#include "device/cuda/cuda_api.h"

namespace xsched::cuda {

enum class StreamKind : uint32_t { kOrdinary, kLegacy, kPerThread };

inline StreamKind kind_of(CUstream stream, bool per_thread_default) {
    const auto number = reinterpret_cast<uintptr_t>(stream);
    if (number > kPerThreadStream) return StreamKind::kOrdinary;
    if (number == kPerThreadStream || (number == 0 && per_thread_default)) return StreamKind::kPerThread;
    return StreamKind::kLegacy;
}

// A number for the calling thread, from 1; another thread's only after 65535 more have used CUDA.
uint32_t thread_number();

// Unique among the streams of the process. The last two bits of handles and contexts are 0.
uint64_t stream_id(StreamKind kind, CUstream stream, CUcontext context);

}  // namespace xsched::cuda
