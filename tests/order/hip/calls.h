// The parts that the files share which make CUDA's driver of the HIP runtime. Any thread.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "order/cuda/driver.h"
#include "order/hip/functions.h"

namespace cuda {

using namespace xsched::hip;

inline const hip::Functions& h() { return hip::functions(); }
inline CUresult code_of(hipError_t code) { return static_cast<CUresult>(code); }
// On AMD's own runtime (tests/real_rocm).
inline bool amds_own() {
    static const bool it = std::getenv("ORDER_HIP_CODE") != nullptr;
    return it;
}
// AMD's own runtime crashes on hipStreamLegacy in hipStreamWaitEvent (6.4.3, 7.2.4): there it is the NULL stream.
inline hipStream_t hip_stream(CUstream stream) {
    return amds_own() && stream == CU_STREAM_LEGACY ? nullptr : reinterpret_cast<hipStream_t>(stream);
}
// AMD's runtime takes no default stream in a list of launches or of value operations. Where a launch has a
// configuration it takes the NULL stream alone: with the thread's it crashes.
inline bool may_be_listed(hipStream_t stream) { return reinterpret_cast<uintptr_t>(stream) > 2; }
inline bool may_be_configured(hipStream_t stream) { return stream == nullptr || may_be_listed(stream); }
inline hipEvent_t hip_event(CUevent event) { return reinterpret_cast<hipEvent_t>(event); }
inline void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline thread_local uint32_t t_calls = 0;
inline uint32_t turn() { return t_calls++; }  // which of several forms a call takes

// A context is a device.
inline CUcontext context_of(int device) { return reinterpret_cast<CUcontext>((uintptr_t(device) + 1) << 4); }
inline int device_of(CUcontext context) { return static_cast<int>(reinterpret_cast<uintptr_t>(context) >> 4) - 1; }

// Kernels (kernels.cpp): a function is one of a module, or a host function of a library.
struct Kernel {
    CUfunction function;
    dim3 grid, block;
    unsigned shared;
    hipStream_t stream;
    void** arguments;
    void** extra;
};
bool is_host_function(CUfunction function);
hipError_t launch_host_function(const Kernel& it, bool per_thread);
hipError_t launch_module_function(const Kernel& it);
void fill_libraries(Api& api);
// Physical memory behind reserved addresses, and pools (memory.cpp).
void fill_memory(Api& api);

// Fills in the functions that HIP has in two forms (forms.cpp): for programs with one default stream per thread, or
// for others.
void fill_forms(Api& api, bool per_thread);

}  // namespace cuda
