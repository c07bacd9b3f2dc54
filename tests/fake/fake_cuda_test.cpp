// Checks the fake CUDA driver for other tests, without anything of ours above it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "order/cuda/driver.h"

namespace {

using cuda::api;
using cuda::fake_count;
using cuda::per_thread_api;

void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

class FakeCuda : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(cuda::available());
        ASSERT_EQ(api().cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
        ASSERT_EQ(api().cuModuleLoadData(&module_, "image"), CUDA_SUCCESS);
        ASSERT_EQ(api().cuModuleGetFunction(&append_, module_, "append"), CUDA_SUCCESS);
        ASSERT_EQ(api().cuMemHostAlloc(reinterpret_cast<void**>(&word_), 64, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
        ASSERT_EQ(api().cuMemHostGetDevicePointer_v2(&address_, word_, 0), CUDA_SUCCESS);
        word_[0] = word_[1] = 0;
    }
    void TearDown() override {
        if (context_ == nullptr) return;
        open_gate();
        EXPECT_EQ(api().cuCtxDestroy_v2(context_), CUDA_SUCCESS);
    }

    // Lets the stream wait until the second word is 1, as at a gate.
    void close_gate(CUstream stream) {
        ASSERT_EQ(api().cuStreamWaitValue32_v2(stream, address_ + 4, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
    }
    void open_gate() { __atomic_store_n(&word_[1], 1, __ATOMIC_RELEASE); }
    CUresult append(const cuda::Api& table, CUstream stream, uint32_t value) {
        uint32_t count = 1;
        void* parameters[] = {&address_, &value, &count};
        return table.cuLaunchKernel(append_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
    }
    CUresult append(CUstream stream, uint32_t value) { return append(api(), stream, value); }
    CUstream new_stream(unsigned flags) {
        CUstream stream = nullptr;
        EXPECT_EQ(api().cuStreamCreate(&stream, flags), CUDA_SUCCESS);
        return stream;
    }

    CUcontext context_ = nullptr;
    CUmodule module_ = nullptr;
    CUfunction append_ = nullptr;
    uint32_t* word_ = nullptr;
    CUdeviceptr address_ = 0;
};

// Environment of one test; the driver reads it again.
class With {
public:
    With(const char* name, const char* value) : name_(name) {
        setenv(name, value, 1);
        reload();
    }
    ~With() {
        unsetenv(name_);
        reload();
    }
    With(const With&) = delete;
    With& operator=(const With&) = delete;

private:
    static void reload() { reinterpret_cast<void (*)()>(cuda::fake_control("fake_cuda_reload"))(); }
    const char* name_;
};

TEST_F(FakeCuda, TheLegacyStreamAndBlockingStreamsWaitForEachOther) {
    const CUstream blocking = new_stream(CU_STREAM_DEFAULT), other = new_stream(CU_STREAM_NON_BLOCKING);
    close_gate(blocking);
    ASSERT_EQ(append(nullptr, 1), CUDA_SUCCESS);
    ASSERT_EQ(append(other, 7), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamSynchronize(other), CUDA_SUCCESS);
    let_time_pass();
    EXPECT_EQ(api().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    ASSERT_EQ(append(per_thread_api(), nullptr, 2), CUDA_SUCCESS) << "after the legacy stream's";
    open_gate();
    ASSERT_EQ(api().cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(word_[0], (7u * 31 + 1) * 31 + 2);
}

TEST_F(FakeCuda, PerThreadVariantsMeanTheThreadsOwnStream) {
    ASSERT_NE(api().cuLaunchKernel, per_thread_api().cuLaunchKernel);
    unsigned long long here = 0, there = 0;
    ASSERT_EQ(per_thread_api().cuStreamGetId(nullptr, &here), CUDA_SUCCESS);
    std::thread([&] {
        api().cuCtxSetCurrent(context_);
        per_thread_api().cuStreamGetId(nullptr, &there);
    }).join();
    EXPECT_NE(here, there);
    unsigned long long again = 0, legacy = 0;
    ASSERT_EQ(api().cuStreamGetId(CU_STREAM_PER_THREAD, &again), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamGetId(nullptr, &legacy), CUDA_SUCCESS);
    EXPECT_EQ(here, again);
    EXPECT_NE(here, legacy);
}

TEST_F(FakeCuda, AFullStreamHoldsItsCallerAndTheContext) {
    const With small("FAKE_CUDA_QUEUE", "16");
    const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    const long before = fake_count("fake_cuda_blocked_in_driver");
    close_gate(stream);
    for (int i = 0; i < 15; ++i) ASSERT_EQ(append(stream, 1), CUDA_SUCCESS);
    EXPECT_EQ(fake_count("fake_cuda_blocked_in_driver"), before);
    std::atomic<int> returned{0};
    const auto launch = [&](CUstream to) {
        api().cuCtxSetCurrent(context_);
        EXPECT_EQ(append(to, 1), CUDA_SUCCESS);
        ++returned;
    };
    std::thread full([&] { launch(stream); });
    while (fake_count("fake_cuda_blocked_in_driver") == before) let_time_pass();
    std::thread innocent([&] { launch(CU_STREAM_LEGACY); });
    let_time_pass();
    EXPECT_EQ(returned, 0);
    open_gate();
    full.join();
    innocent.join();
}

TEST_F(FakeCuda, ValueOperationsWantTheDevicesAddressOfRegisteredMemory) {
    alignas(64) static uint32_t host[16];
    const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    const long before = fake_count("fake_cuda_errors");
    EXPECT_NE(api().cuStreamWriteValue32_v2(stream, reinterpret_cast<CUdeviceptr>(host), 1, 0), CUDA_SUCCESS);
    ASSERT_EQ(api().cuMemHostRegister_v2(host, sizeof host, 0), CUDA_SUCCESS);
    EXPECT_NE(api().cuStreamWriteValue32_v2(stream, reinterpret_cast<CUdeviceptr>(host), 1, 0), CUDA_SUCCESS);
    EXPECT_EQ(fake_count("fake_cuda_errors"), before + 2);
    CUdeviceptr address = 0;
    ASSERT_EQ(api().cuMemHostGetDevicePointer_v2(&address, host, 0), CUDA_SUCCESS);
    EXPECT_EQ(api().cuStreamWriteValue32_v2(stream, address, 5, 0), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(host[0], 5u);
    EXPECT_EQ(api().cuMemHostUnregister(host), CUDA_SUCCESS);
    EXPECT_EQ(fake_count("fake_cuda_errors"), before + 2);
    const With none("FAKE_CUDA_NO_MEMOPS", "1");
    EXPECT_EQ(api().cuStreamWriteValue32_v2(stream, address_, 5, 0), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(FakeCuda, CaptureFollowsEventsAndRefusesWhatCudaRefuses) {
    const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), side = new_stream(CU_STREAM_NON_BLOCKING);
    CUevent event = nullptr;
    ASSERT_EQ(api().cuEventCreate(&event, 0), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    ASSERT_EQ(api().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    ASSERT_EQ(append(stream, 1), CUDA_SUCCESS);
    ASSERT_EQ(api().cuEventRecord(event, stream), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamWaitEvent(side, event, 0), CUDA_SUCCESS);
    ASSERT_EQ(append(side, 2), CUDA_SUCCESS);
    EXPECT_EQ(api().cuEventSynchronize(event), CUDA_ERROR_CAPTURED_EVENT);
    const long before = fake_count("fake_cuda_capture_disturbed");
    EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT_EQ(fake_count("fake_cuda_capture_disturbed"), before + 1);

    for (const auto forbidden :
         {+[](CUstream it) { return api().cuStreamSynchronize(it); },
          +[](CUstream it) { return api().cuStreamQuery(it); }, +[](CUstream) { return api().cuCtxSynchronize(); },
          +[](CUstream) {
              CUdeviceptr memory = 0;
              return api().cuMemAlloc_v2(&memory, 64);
          }}) {
        ASSERT_EQ(api().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
        EXPECT_EQ(forbidden(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        EXPECT_EQ(append(stream, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
    ASSERT_EQ(api().cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(append(nullptr, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(api().cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(api().cuEventDestroy_v2(event), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(word_[0], 0u) << "what was captured did not run";
}

TEST_F(FakeCuda, AWaitForAnotherStreamEndsGlobalCapturesUnlessTheThreadIsRelaxed) {
    const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING), other = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = nullptr;
    ASSERT_EQ(api().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
        CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        ASSERT_EQ(api().cuCtxSetCurrent(context_), CUDA_SUCCESS);
        ASSERT_EQ(api().cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
        EXPECT_EQ(api().cuStreamSynchronize(other), CUDA_SUCCESS);
        EXPECT_EQ(append(stream, 1), CUDA_SUCCESS) << "the capture goes on";
        ASSERT_EQ(api().cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
        result = api().cuStreamSynchronize(other);
    }).join();
    EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(FakeCuda, ThereMayBeOneDevice) {
    int count = 0;
    ASSERT_EQ(api().cuDeviceGetCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 2);
    const With one("FAKE_CUDA_DEVICES", "1");
    ASSERT_EQ(api().cuDeviceGetCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 1);
    CUdevice device = 0;
    EXPECT_EQ(api().cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(FakeCuda, ADestroyedStreamsWorkIsDoneAndItsAddressUsedAgain) {
    const CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    close_gate(stream);
    ASSERT_EQ(append(stream, 3), CUDA_SUCCESS);
    ASSERT_EQ(api().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    const auto live = reinterpret_cast<long (*)(const char*)>(cuda::fake_control("fake_cuda_live"));
    const long with_it = live("stream");
    open_gate();
    for (int i = 0; i < 1000 && live("stream") == with_it; ++i) let_time_pass();
    EXPECT_EQ(word_[0], 3u);
    bool again = false;  // other tests' streams may have ended since
    for (int i = 0; i < 100 && !again; ++i) again = new_stream(CU_STREAM_NON_BLOCKING) == stream;
    EXPECT_TRUE(again);
}

TEST_F(FakeCuda, ContextsAreTheThreadsAndEndOnce) {
    CUcontext current = nullptr;
    std::thread([&] {
        EXPECT_EQ(append(nullptr, 1), CUDA_ERROR_INVALID_CONTEXT);
        api().cuCtxGetCurrent(&current);
    }).join();
    EXPECT_EQ(current, nullptr);
    CUcontext other = nullptr;
    ASSERT_EQ(api().cuCtxCreate_v2(&other, 0, 1), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxDestroy_v2(other), CUDA_SUCCESS);
    CUdevice device = 0;
    EXPECT_EQ(api().cuCtxGetDevice(&device), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ASSERT_EQ(api().cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxGetDevice(&device), CUDA_SUCCESS);
}

TEST_F(FakeCuda, ExecutorsThatShareADeviceTakeTurns) {
    if (std::getenv("FAKE_CUDA_SHARED") == nullptr) GTEST_SKIP() << "only with FAKE_CUDA_SHARED";
    CUcontext other = nullptr;
    ASSERT_EQ(api().cuCtxCreate_v2(&other, 0, 1), CUDA_SUCCESS);  // of another executor, as another process's
    CUfunction spin = nullptr;
    const auto launch = [&] {
        uint32_t us = 30'000;
        void* arguments[] = {&us};
        return api().cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    };
    const auto begin = std::chrono::steady_clock::now();
    for (CUcontext context : {context_, other}) {
        ASSERT_EQ(api().cuCtxSetCurrent(context), CUDA_SUCCESS);
        CUmodule module = nullptr;
        ASSERT_EQ(api().cuModuleLoadData(&module, "image"), CUDA_SUCCESS);
        ASSERT_EQ(api().cuModuleGetFunction(&spin, module, "spin"), CUDA_SUCCESS);
        ASSERT_EQ(launch(), CUDA_SUCCESS);
    }
    for (CUcontext context : {other, context_}) {
        ASSERT_EQ(api().cuCtxSetCurrent(context), CUDA_SUCCESS);
        ASSERT_EQ(api().cuCtxSynchronize(), CUDA_SUCCESS);
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(60));
    ASSERT_EQ(api().cuCtxDestroy_v2(other), CUDA_SUCCESS);
    ASSERT_EQ(api().cuCtxSetCurrent(context_), CUDA_SUCCESS);
}

TEST_F(FakeCuda, FaultsComeWhereTheyAreAskedFor) {
    const With fault("FAKE_CUDA_FAIL", "cuLaunchKernel:2:719");
    EXPECT_EQ(append(nullptr, 1), CUDA_SUCCESS);
    EXPECT_EQ(append(nullptr, 1), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(append(nullptr, 1), CUDA_SUCCESS);
    const auto calls = reinterpret_cast<long (*)(const char*)>(cuda::fake_control("fake_cuda_calls"));
    EXPECT_EQ(calls("cuLaunchKernel"), 3);
}

TEST_F(FakeCuda, LookUpsKnowVersionsStreamsAndWhatIsToCome) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult status{};
    const auto look_up = [&](const char* name, int version, cuuint64_t flags = 0) {
        EXPECT_EQ(api().cuGetProcAddress_v2(name, &function, version, flags, &status), CUDA_SUCCESS);
        return function;
    };
    EXPECT_EQ(look_up("cuStreamBeginCapture", 12000), reinterpret_cast<void*>(api().cuStreamBeginCapture_v2));
    EXPECT_NE(look_up("cuStreamBeginCapture", 10000), reinterpret_cast<void*>(api().cuStreamBeginCapture_v2));
    EXPECT_EQ(look_up("cuGraphLaunch", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
              reinterpret_cast<void*>(per_thread_api().cuGraphLaunch));
    EXPECT_EQ(look_up("cuLaunchKernelEx", 11000), nullptr);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_EQ(look_up("cuNothing", 13000), nullptr);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    EXPECT_NE(look_up("cuFutureThing", 14000), nullptr);
    EXPECT_EQ(look_up("cuMemsetD8Async", 13000), reinterpret_cast<void*>(api().cuMemsetD8Async));
    EXPECT_NE(look_up("cuMemsetD8Async", 99000), reinterpret_cast<void*>(api().cuMemsetD8Async));
}

}  // namespace
