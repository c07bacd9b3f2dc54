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
#include "support/eventually.h"
#include "xsched/hip/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

using namespace xsched::hip;
using ::hip::functions;

inline const ::hip::Functions& hip() { return functions(); }

inline bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '1';
}
inline bool gates() { return !is_set("FAKE_CUDA_NO_MEMOPS"); }

inline const hipStream_t kLegacy = reinterpret_cast<hipStream_t>(1);
inline const hipStream_t kPerThread = reinterpret_cast<hipStream_t>(2);
inline constexpr dim3 kOne{1, 1, 1};

// The stand-in itself, past the shim.
inline void* stand_in() {
    static void* const library = dlopen(std::getenv("XSCHED_HIP_LIB"), RTLD_NOW);
    return library;
}
inline long fake_count(const char* control) { return reinterpret_cast<long (*)()>(dlsym(stand_in(), control))(); }

class HipTest : public testing::Test {
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
    hipError_t append(hipStream_t stream, uint32_t value) {
        uint32_t count = 1;
        void* arguments[] = {&device_word_, &value, &count};
        return hip().hipModuleLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    }
    hipError_t noop(hipStream_t stream) {
        return hip().hipModuleLaunchKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    }
    uint32_t word() const { return *const_cast<volatile uint32_t*>(word_); }

    static hipStream_t new_stream(unsigned flags = hipStreamNonBlocking, int priority = 0) {
        hipStream_t stream = nullptr;
        EXPECT_EQ(hip().hipStreamCreateWithPriority(&stream, flags, priority), hipSuccess);
        return stream;
    }
    // The XQueue of a stream; 0: it has none.
    static XQueueHandle xqueue_of(hipStream_t stream) {
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        if (HipQueueGet(&hwq, stream) != kXSchedSuccess) return 0;
        return XQueueGet(&xqueue, hwq) == kXSchedSuccess ? xqueue : 0;
    }
    // The same, made by a first use.
    XQueueHandle used_xqueue_of(hipStream_t stream) {
        EXPECT_EQ(noop(stream), hipSuccess);
        const XQueueHandle xqueue = xqueue_of(stream);
        EXPECT_NE(xqueue, 0u) << "stream " << stream << " is not scheduled";
        return xqueue;
    }
    static int64_t commands_of(XQueueHandle xqueue) {
        int64_t count = -1;
        EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &count), kXSchedSuccess);
        return count;
    }
    static XQueueState state_of(XQueueHandle xqueue) {
        XQueueState state = kQueueStateUnknown;
        EXPECT_EQ(XQueueQuery(xqueue, &state), kXSchedSuccess);
        return state;
    }

    hipModule_t module_ = nullptr;
    hipFunction_t append_ = nullptr;
    hipFunction_t noop_ = nullptr;
    uint32_t* word_ = nullptr;
    void* device_word_ = nullptr;
    long errors_before_ = 0;
};

}  // namespace xsched::test
