// Pages of shared memory that several threads and contexts need on the device at once.
#include "device/cuda/pinned_words.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace xsched::cuda {
namespace {

std::atomic<int> g_registering{0};
std::atomic<int> g_registered{0};
std::atomic<int> g_too_early{0};
std::atomic<CUresult> g_answer{CUDA_SUCCESS};

CUresult slow_register(void*, size_t, unsigned) {
    if (g_registering.fetch_add(1) != 0) ++g_too_early;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++g_registered;
    --g_registering;
    return g_answer;
}

CUresult device_pointer(CUdeviceptr* pointer, void* host, unsigned) {
    if (g_registering != 0) ++g_too_early;
    *pointer = reinterpret_cast<CUdeviceptr>(host);
    return CUDA_SUCCESS;
}

struct PinnedWords : testing::Test {
    PinnedWords() {
        api.cuMemHostRegister_v2 = slow_register;
        api.cuMemHostGetDevicePointer_v2 = device_pointer;
        g_registered = g_too_early = 0;
        g_answer = CUDA_SUCCESS;
        const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        words = static_cast<uint32_t*>(std::aligned_alloc(bytes, bytes));
    }
    ~PinnedWords() override {
        forget_pins(first);
        forget_pins(second);
        std::free(words);
    }
    bool pin(CUcontext context, int at) {
        CUdeviceptr address = 0;
        CUresult code = CUDA_SUCCESS;
        return pin_word(api, context, words + at, &address, &code) &&
               address == reinterpret_cast<CUdeviceptr>(words + at);
    }
    int pin_at_once() {
        std::atomic<int> pinned{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] { pinned += pin(i % 2 == 0 ? first : second, i) ? 1 : 0; });
        for (std::thread& thread : threads) thread.join();
        return pinned;
    }

    CuApi api{};
    uint32_t* words = nullptr;
    const CUcontext first = reinterpret_cast<CUcontext>(0x1000);
    const CUcontext second = reinterpret_cast<CUcontext>(0x2000);
};

// While one thread registers a page, a second registration is refused or says too early that all is well: then the
// device faults in the other context.
TEST_F(PinnedWords, APageIsRegisteredOnceAndWaitedFor) {
    EXPECT_EQ(pin_at_once(), 8);
    EXPECT_EQ(g_registered, 1);
    EXPECT_EQ(g_too_early, 0);
}

TEST_F(PinnedWords, ARefusalLeavesNobodyWaiting) {
    g_answer = CUDA_ERROR_NOT_SUPPORTED;
    EXPECT_EQ(pin_at_once(), 0);
    EXPECT_EQ(g_too_early, 0);
    g_answer = CUDA_SUCCESS;
    EXPECT_TRUE(pin(first, 0)) << "and it is tried again";
}

TEST_F(PinnedWords, WhatTheProgramRegisteredItselfIsUsed) {
    g_answer = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    EXPECT_TRUE(pin(first, 0));
}

TEST_F(PinnedWords, APageGoesWithItsContext) {
    EXPECT_TRUE(pin(first, 0));
    const uint32_t epoch = pin_epoch();
    forget_pins(first);
    EXPECT_NE(pin_epoch(), epoch);
    EXPECT_TRUE(pin(second, 0));
    EXPECT_EQ(g_registered, 2);
}

}  // namespace
}  // namespace xsched::cuda
