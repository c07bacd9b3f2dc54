// The C API of the XSched libraries as the checker for CUDA finds it, and HIP's, which is this one on HIP's queues.
#pragma once

#include "fake/cuda/cuda_driver.h"
#include "order/core/xsched_api.h"

namespace order::cuda {

inline const XSched<CUstream>& xsched() {
#ifdef ORDER_ON_HIP
    static const XSched<CUstream> it("libhalhip.so.1", "Hip");
#else
    static const XSched<CUstream> it("libhalcuda.so.1", "Cuda");
#endif
    return it;
}

}  // namespace order::cuda
