// Pages of shared memory that several threads and contexts need on the device at once.
#include "platform/stream/hal/pinned_words.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace xsched::stream {
namespace {

std::atomic<int> g_registering{0};
std::atomic<int> g_registered{0};
std::atomic<int> g_too_early{0};
std::atomic<Result> g_answer{kSuccess};

Result slow_register(void*, size_t, unsigned) {
    if (g_registering.fetch_add(1) != 0) ++g_too_early;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++g_registered;
    --g_registering;
    return g_answer;
}

Result pointer_of(DevicePtr* pointer, void* host, unsigned) {
    if (g_registering != 0) ++g_too_early;
    *pointer = reinterpret_cast<DevicePtr>(host);
    return kSuccess;
}

struct PinnedWords : testing::Test {
    PinnedWords() {
        api.cuMemHostRegister_v2 = slow_register;
        api.cuMemHostGetDevicePointer_v2 = pointer_of;
        g_registered = g_too_early = 0;
        g_answer = kSuccess;
        const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        words = static_cast<uint32_t*>(std::aligned_alloc(bytes, bytes));
    }
    ~PinnedWords() override {
        forget_pins(api, first);
        forget_pins(api, second);
        std::free(words);
    }
    bool pin(Context context, int at) {
        DevicePtr address = 0;
        Result code = kSuccess;
        return pin_word(api, context, words + at, &address, &code) &&
               address == reinterpret_cast<DevicePtr>(words + at);
    }
    int pin_at_once() {
        std::atomic<int> pinned{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] { pinned += pin(i % 2 == 0 ? first : second, i) ? 1 : 0; });
        for (std::thread& thread : threads) thread.join();
        return pinned;
    }

    Api api{};
    uint32_t* words = nullptr;
    const Context first = reinterpret_cast<Context>(0x1000);
    const Context second = reinterpret_cast<Context>(0x2000);
};

// While one thread registers a page, a second registration is refused or says too early that all is well: then the
// device faults in the other context.
TEST_F(PinnedWords, APageIsRegisteredOnceAndWaitedFor) {
    EXPECT_EQ(pin_at_once(), 8);
    EXPECT_EQ(g_registered, 1);
    EXPECT_EQ(g_too_early, 0);
}

TEST_F(PinnedWords, ARefusalLeavesNobodyWaiting) {
    g_answer = kNotSupported;
    EXPECT_EQ(pin_at_once(), 0);
    EXPECT_EQ(g_too_early, 0);
    g_answer = kSuccess;
    EXPECT_TRUE(pin(first, 0)) << "and it is tried again";
}

TEST_F(PinnedWords, WhatTheProgramRegisteredItselfIsUsed) {
    g_answer = kAlreadyRegistered;
    EXPECT_TRUE(pin(first, 0));
}

TEST_F(PinnedWords, APageGoesWithItsContext) {
    EXPECT_TRUE(pin(first, 0));
    const uint32_t epoch = pin_epoch();
    forget_pins(api, first);
    EXPECT_NE(pin_epoch(), epoch);
    EXPECT_TRUE(pin(second, 0));
    EXPECT_EQ(g_registered, 2);
}

}  // namespace
}  // namespace xsched::stream
