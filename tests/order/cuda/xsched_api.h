// The C API of the XSched libraries for the CUDA order checker, found at run time; for HIP, with HIP's function to
// wrap streams.
#pragma once

#include "fake/cuda/cuda_driver.h"
#include "order/core/xsched_api.h"

namespace order::cuda {

#ifdef ORDER_ON_HIP
inline constexpr XSchedOnDemand<CUstream> xsched{"libhalhip.so.1", "Hip"};
#else
inline constexpr XSchedOnDemand<CUstream> xsched{"libhalcuda.so.1", "Cuda"};
#endif

}  // namespace order::cuda
