// What the HIP shim's tests share: the runtime as a program sees it (the shim, preloaded, over the stand-in), and work
// whose effect can be looked at. The tests are ordinary HIP programs.
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

// The stand-in itself, past the shim.
inline void* stand_in() {
    static void* const library = dlopen(std::getenv("XSCHED_HIP_LIB"), RTLD_NOW);
    return library;
}
inline long fake_count(const char* control) { return reinterpret_cast<long (*)()>(dlsym(stand_in(), control))(); }

struct HipVendor {
    using Stream = hipStream_t;
    using Result = hipError_t;
    static constexpr hipError_t kSuccess = hipSuccess;
    static hipStream_t new_stream(unsigned flags = hipStreamNonBlocking, int priority = 0) {
        hipStream_t stream = nullptr;
        EXPECT_EQ(hip().hipStreamCreateWithPriority(&stream, flags, priority), hipSuccess);
        return stream;
    }
    static hipError_t synchronize(hipStream_t stream) { return hip().hipStreamSynchronize(stream); }
    static hipError_t destroy(hipStream_t stream) { return hip().hipStreamDestroy(stream); }
    static XResult queue_get(HwQueueHandle* hwq, hipStream_t stream) { return HipQueueGet(hwq, stream); }
    static XResult queue_create(HwQueueHandle* hwq, hipStream_t stream) { return HipQueueCreate(hwq, stream); }
};

class HipTest : public StreamTest<HipVendor> {
protected:
    void SetUp() override {
        ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
        ASSERT_EQ(hip().hipModuleLoadData(&module_, ::cuda::kKernels), hipSuccess);
        ASSERT_EQ(hip().hipModuleGetFunction(&append_, module_, "append"), hipSuccess);
        ASSERT_EQ(hip().hipModuleGetFunction(&noop_, module_, "noop"), hipSuccess);
        ASSERT_EQ(hip().hipHostMalloc(reinterpret_cast<void**>(&word_), sizeof *word_, 0), hipSuccess);
        ASSERT_EQ(hip().hipHostGetDevicePointer(&device_word_, word_, 0), hipSuccess);
        *word_ = 0;
        errors_before_ = fake_count("fake_cuda_errors");
    }
    void TearDown() override {
        if (word_ == nullptr) return;
        hip().hipSetDevice(0);
        EXPECT_EQ(hip().hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(hip().hipHostFree(word_), hipSuccess);
        EXPECT_EQ(hip().hipModuleUnload(module_), hipSuccess);
        EXPECT_EQ(fake_count("fake_cuda_errors"), errors_before_) << "the runtime was misused";
    }

    // Appends `value` to the word, in stream order.
    hipError_t append(hipStream_t stream, uint32_t value) override {
        uint32_t count = 1;
        void* arguments[] = {&device_word_, &value, &count};
        return hip().hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    hipError_t noop(hipStream_t stream) override {
        return hip().hipModuleLaunchKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    }
    static hipStream_t new_stream(unsigned flags = hipStreamNonBlocking, int priority = 0) {
        return HipVendor::new_stream(flags, priority);
    }

    hipModule_t module_ = nullptr;
    hipFunction_t append_ = nullptr;
    hipFunction_t noop_ = nullptr;
    void* device_word_ = nullptr;
    long errors_before_ = 0;
};

}  // namespace xsched::test
