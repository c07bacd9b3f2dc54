// The common part of the HIP shim's tests: the runtime as a program sees it (the shim, preloaded, over the stand-in),
// and work whose effect can be looked at. The tests are ordinary HIP programs.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "order/cuda/kernels.h"
#include "order/hip/functions.h"
#include "platform/stream/shim/program.h"
#include "xsched/hip/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

using namespace xsched::hip;
using ::hip::functions;

inline const ::hip::Functions& hip() { return functions(); }

inline const hipStream_t kLegacy = reinterpret_cast<hipStream_t>(1);
inline const hipStream_t kPerThread = reinterpret_cast<hipStream_t>(2);
inline constexpr dim3 kOne{1, 1, 1};

// Returns the handle of the fake runtime, or of AMD's own runtime (tests/real_rocm), past the shim.
inline void* stand_in() {
    static void* const library = dlopen(std::getenv("XSCHED_HIP_LIB"), RTLD_NOW);
    return library;
}
// Returns a count of the fake runtime; 0 if AMD's own runtime is used.
inline long fake_count(const char* control) {
    const auto count = reinterpret_cast<long (*)()>(dlsym(stand_in(), control));
    return count != nullptr ? count() : 0;
}
inline const char* image() { return static_cast<const char*>(::hip::code_for(::cuda::kKernels)); }

inline long misuses() { return fake_count("fake_cuda_errors"); }

inline const auto& hip_calls() {
    static const StreamCalls<hipStream_t, hipError_t, hipModule_t, hipFunction_t, void*> calls{
        hip().hipStreamCreateWithPriority,
        hip().hipStreamSynchronize,
        hip().hipStreamDestroy,
        hip().hipDeviceSynchronize,
        hip().hipModuleLoadData,
        hip().hipModuleUnload,
        hip().hipModuleGetFunction,
        hip().hipHostMalloc,
        hip().hipHostGetDevicePointer,
        hip().hipHostFree,
        hip().hipModuleLaunchKernel,
        HipQueueGet,
        HipQueueCreate,
        misuses,
        image()};
    return calls;
}

class HipTest : public StreamTest<hip_calls> {
protected:
    void begin_thread() override { ASSERT_EQ(hip().hipSetDevice(0), hipSuccess); }
};

using HipTestWithStream = WithStream<HipTest>;

}  // namespace xsched::test
