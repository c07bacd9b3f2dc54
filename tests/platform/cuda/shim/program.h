// The common part of the CUDA shim's tests: the driver as a program sees it (libcuda.so.1 by name, which is the
// preloaded shim over the fake driver). And work whose effect can be looked at. The tests are ordinary CUDA programs.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "fake/cuda/cuda_driver.h"
#include "fake/cuda/fake_cuda.h"
#include "platform/stream/shim/program.h"
#include "xsched/cuda/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

struct Functions {
#define FAKE_CUDA_DECLARE(name, ...) decltype(&::name) name = nullptr;
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE

    explicit Functions(void* library) {
#define FAKE_CUDA_DECLARE(name, ...) name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE
    }
};

// Opens the driver by its name, as a program does.
inline void* opened_driver() {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library;
}
inline const Functions& cu() {
    static const Functions functions(opened_driver());
    return functions;
}

// Returns the handle of the fake driver itself, past the shim.
inline void* fake_library() {
    static void* const library = dlopen(std::getenv("XSCHED_CUDA_LIB"), RTLD_NOW);
    return library;
}
inline const Functions& fake_cu() {
    static const Functions functions(fake_library());
    return functions;
}
template <typename Function>
Function fake_control(const char* name) {
    return reinterpret_cast<Function>(dlsym(fake_library(), name));
}
inline long fake_errors() { return fake_control<decltype(&fake_cuda_errors)>("fake_cuda_errors")(); }
inline long fake_disturbed() {
    return fake_control<decltype(&fake_cuda_capture_disturbed)>("fake_cuda_capture_disturbed")();
}
inline long fake_calls(const char* function) {
    return fake_control<decltype(&fake_cuda_calls)>("fake_cuda_calls")(function);
}

inline const auto& cuda_calls() {
    static const StreamCalls<CUstream, CUresult, CUmodule, CUfunction, CUdeviceptr> calls{
        cu().cuStreamCreateWithPriority,
        cu().cuStreamSynchronize,
        cu().cuStreamDestroy_v2,
        cu().cuCtxSynchronize,
        cu().cuModuleLoadData,
        cu().cuModuleUnload,
        cu().cuModuleGetFunction,
        cu().cuMemHostAlloc,
        cu().cuMemHostGetDevicePointer_v2,
        cu().cuMemFreeHost,
        cu().cuLaunchKernel,
        CudaQueueGet,
        CudaQueueCreate,
        fake_errors,
        "image"};
    return calls;
}

// The first device's primary context, current to this thread.
class CudaTest : public StreamTest<cuda_calls> {
protected:
    void SetUp() override {
        ASSERT_NE(opened_driver(), nullptr) << "the shim is not preloaded";
        ASSERT_EQ(cu().cuInit(0), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
        StreamTest::SetUp();
    }
    void TearDown() override {
        if (word_ == nullptr) return;
        StreamTest::TearDown();
        EXPECT_EQ(cu().cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    }
    void begin_thread() override { ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS); }

    CUcontext context_ = nullptr;
};

using CudaTestWithStream = WithStream<CudaTest>;

}  // namespace xsched::test
