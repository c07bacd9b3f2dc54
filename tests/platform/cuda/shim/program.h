// What the CUDA shim's tests share: the driver as a program sees it (libcuda.so.1 by name, which is the shim,
// preloaded, over the fake driver), and work whose effect can be looked at. The tests are ordinary CUDA programs.
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

// What a program gets for the driver's name.
inline void* opened_driver() {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library;
}
inline const Functions& cu() {
    static const Functions functions(opened_driver());
    return functions;
}

// The fake driver itself, past the shim.
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

struct CudaVendor {
    using Stream = CUstream;
    using Result = CUresult;
    static constexpr CUresult kSuccess = CUDA_SUCCESS;
    static CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING, int priority = 0) {
        CUstream stream = nullptr;
        EXPECT_EQ(cu().cuStreamCreateWithPriority(&stream, flags, priority), CUDA_SUCCESS);
        return stream;
    }
    static CUresult synchronize(CUstream stream) { return cu().cuStreamSynchronize(stream); }
    static CUresult destroy(CUstream stream) { return cu().cuStreamDestroy_v2(stream); }
    static XResult queue_get(HwQueueHandle* hwq, CUstream stream) { return CudaQueueGet(hwq, stream); }
    static XResult queue_create(HwQueueHandle* hwq, CUstream stream) { return CudaQueueCreate(hwq, stream); }
};

// The first device's primary context, current to this thread, with a kernel and a word that it changes.
class CudaTest : public StreamTest<CudaVendor> {
protected:
    void SetUp() override {
        ASSERT_NE(opened_driver(), nullptr) << "the shim is not preloaded";
        ASSERT_EQ(cu().cuInit(0), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuModuleLoadData(&module_, "image"), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuModuleGetFunction(&append_, module_, "append"), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuModuleGetFunction(&noop_, module_, "noop"), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuMemHostAlloc(reinterpret_cast<void**>(&word_), sizeof *word_, CU_MEMHOSTALLOC_DEVICEMAP),
                  CUDA_SUCCESS);
        ASSERT_EQ(cu().cuMemHostGetDevicePointer_v2(&device_word_, word_, 0), CUDA_SUCCESS);
        *word_ = 0;
        errors_before_ = fake_errors();
    }
    void TearDown() override {
        if (word_ == nullptr) return;
        cu().cuCtxSetCurrent(context_);
        EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuMemFreeHost(word_), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuModuleUnload(module_), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
        EXPECT_EQ(fake_errors(), errors_before_) << "the driver was misused";
    }

    // Appends `value` to the word, in stream order.
    CUresult append(CUstream stream, uint32_t value) override {
        uint32_t count = 1;
        void* parameters[] = {&device_word_, &value, &count};
        return cu().cuLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
    }
    CUresult noop(CUstream stream) override {
        return cu().cuLaunchKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    }
    static CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING, int priority = 0) {
        return CudaVendor::new_stream(flags, priority);
    }
    void begin_thread() override { ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS); }

    CUcontext context_ = nullptr;
    CUmodule module_ = nullptr;
    CUfunction append_ = nullptr;
    CUfunction noop_ = nullptr;
    CUdeviceptr device_word_ = 0;
    long errors_before_ = 0;
};

}  // namespace xsched::test
