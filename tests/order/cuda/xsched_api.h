// The C API of the XSched libraries for the CUDA order checker, found at run time; for HIP, with HIP's function to
// wrap streams.
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
