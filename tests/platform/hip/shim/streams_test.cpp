// Which streams are scheduled: all of them, from their first use to their end, whichever thread and device they are of.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

// Returns memory that work in the NULL stream fills.
void* memory_filled() {
    void* memory = nullptr;
    EXPECT_EQ(hip().hipMalloc(&memory, 16), hipSuccess);
    EXPECT_EQ(hip().hipMemsetAsync(memory, 1, 16, nullptr), hipSuccess);
    return memory;
}

class Streams : public HipTest {
protected:
    // Makes a stream by a call that bypasses the shim, as a library does that was loaded before the shim.
    static hipStream_t unseen_stream() {
        hipStream_t stream = nullptr;
        const auto create = reinterpret_cast<declared::hipStreamCreateWithFlags>(past_shim("hipStreamCreateWithFlags"));
        EXPECT_EQ(create(&stream, hipStreamNonBlocking), hipSuccess);
        return stream;
    }
    // Returns the stand-in's own function: dlvsym is the C library's, while the shim answers dlsym.
    static void* past_shim(const char* name) { return dlvsym(stand_in(), name, "hip_4.2"); }
};

TEST_F(Streams, TheNullStreamIsScheduled) { expect_null_stream_scheduled(kLegacy); }

TEST_F(Streams, EachDeviceHasItsOwnNullStream) {
    const XQueueHandle first = used_xqueue_of(nullptr);
    ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
    EXPECT_EQ(xqueue_of(nullptr), 0u);
    memory_filled();
    const XQueueHandle second = xqueue_of(nullptr);
    EXPECT_NE(second, 0u);
    EXPECT_NE(second, first);
    ASSERT_EQ(hip().hipDeviceReset(), hipSuccess);
    XQueueState state = kQueueStateUnknown;
    EXPECT_EQ(XQueueQuery(second, &state), kXSchedErrorNotFound);
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
    EXPECT_EQ(xqueue_of(nullptr), first);
}

TEST_F(Streams, AStreamOfAnotherDeviceThanTheCurrentOneIsScheduled) {
    ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
    const hipStream_t stream = new_stream();
    void* memory = nullptr;
    ASSERT_EQ(hip().hipMalloc(&memory, 16), hipSuccess);
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
    ASSERT_EQ(hip().hipMemsetAsync(memory, 1, 16, stream), hipSuccess);
    const XQueueHandle xqueue = xqueue_of(stream);
    ASSERT_NE(xqueue, 0u);
    ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
    EXPECT_EQ(XQueueResume(xqueue, 0), kXSchedSuccess);
    int device = -1;
    EXPECT_EQ(hip().hipGetDevice(&device), hipSuccess);
    EXPECT_EQ(device, 0) << "left as it was";
    EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Streams, EachThreadHasItsOwnDefaultStreamUntilItEnds) { expect_default_stream_of_each_thread(kPerThread); }

TEST_F(Streams, AStreamThatTheShimNeverSawIsScheduledFromItsFirstUse) {
    const hipStream_t stream = unseen_stream();
    EXPECT_EQ(xqueue_of(stream), 0u);
    EXPECT_EQ(commands_of(used_xqueue_of(stream)), 1);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Streams, ADestroyedStreamTakesItsXQueueAlong) {
    const hipStream_t stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    ASSERT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    int64_t count = 0;
    EXPECT_TRUE(eventually([&] { return XQueueProfileHwCommandCount(xqueue, &count) == kXSchedErrorNotFound; }));
}

TEST_F(Streams, ItsPriorityBecomesTheXQueues) {
    const hipStream_t urgent = new_stream(hipStreamNonBlocking, -1), usual = new_stream();
    used_xqueue_of(urgent);
    used_xqueue_of(usual);
    HwQueueHandle hwq = 0;
    EXPECT_EQ(HipQueueGet(&hwq, urgent), kXSchedSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(urgent), hipSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(usual), hipSuccess);
}

// A thread that never used the device makes an XQueue for a stream. Once this failed with error 709 (context is
// destroyed).
TEST_F(Streams, AThreadThatNeverUsedTheDeviceCanMakeAQueue) {
    ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
    const hipStream_t stream = new_stream();
    expect_queue_from_thread(stream, [&] {
        int device = -1;
        EXPECT_EQ(hip().hipGetDevice(&device), hipSuccess);
        EXPECT_EQ(device, 0) << "left as it was";
        EXPECT_EQ(hip().hipGetLastError(), hipSuccess);
    });
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
}

// The stream, its wrapper and its XQueue are destroyed in all orders in which an interpreter may do so: calls with
// the rest fail and do no harm.
TEST_F(Streams, WhatIsTornDownInAnyOrderGivesResultsNotCrashes) {
    for (int order = 0; order < 3; ++order) {
        ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
        const hipStream_t stream = new_stream();
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        ASSERT_EQ(HipQueueCreate(&hwq, stream), kXSchedSuccess);
        ASSERT_EQ(XQueueCreate(&xqueue, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone), kXSchedSuccess);
        if (order == 0) {
            EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
        } else if (order == 1) {
            EXPECT_EQ(hip().hipDeviceReset(), hipSuccess);
            EXPECT_EQ(hip().hipStreamQuery(stream), hipErrorContextIsDestroyed);
        } else {
            EXPECT_EQ(XQueueDestroy(xqueue), kXSchedSuccess);
            EXPECT_EQ(hip().hipDeviceReset(), hipSuccess);
        }
        XQueueSuspend(xqueue, kQueueSuspendFlagNone);
        XQueueResume(xqueue, kQueueResumeFlagNone);
        XQueueDestroy(xqueue);
        HwQueueDestroy(hwq);
        EXPECT_NE(HipQueueCreate(&hwq, stream), kXSchedSuccess) << "order " << order << ": the stream is gone";
        hip().hipGetLastError();
    }
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
    EXPECT_EQ(noop(nullptr), hipSuccess);
}

// Resets the device while its queue is suspended, with work behind the gate if there is one.
void reset_suspended(XQueueHandle xqueue, void* memory) {
    ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
    if (gates()) {
        ASSERT_EQ(hip().hipMemsetAsync(memory, 2, 16, nullptr), hipSuccess);
    }
    ASSERT_EQ(hip().hipDeviceReset(), hipSuccess);
}

TEST_F(Streams, ADeviceThatIsResetWhileSuspendedHangsNobody) {
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(hip().hipSetDevice(1), hipSuccess);
        void* const memory = memory_filled();
        const XQueueHandle xqueue = xqueue_of(nullptr);
        ASSERT_NE(xqueue, 0u);
        reset_suspended(xqueue, memory);
    }
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
}

class LastDevice : public testing::Test {
protected:
    void SetUp() override {
        int devices = 0;
        ASSERT_EQ(hip().hipGetDeviceCount(&devices), hipSuccess);
        ASSERT_EQ(hip().hipSetDevice(devices - 1), hipSuccess);
    }
};

// Resets the last device; in shim_hip_only_device it is the only one. AMD's runtime would spoil the heap if memory of
// ours were still registered with it at that moment.
TEST_F(LastDevice, IsResetWhileWorkStandsBehindAGate) {
    for (int i = 0; i < 3; ++i) {
        void* const memory = memory_filled();
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        ASSERT_EQ(HipQueueGet(&hwq, nullptr), kXSchedSuccess);
        ASSERT_EQ(XQueueGet(&xqueue, hwq), kXSchedSuccess);
        reset_suspended(xqueue, memory);
    }
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
}

// A device's reset ends a queue that the program made, also one that it never used: afterwards the runtime crashes over
// the stream (7.2.4).
TEST_F(LastDevice, TakesTheProgramsUnusedQueuesAlong) {
    hipStream_t with = nullptr, without = nullptr;
    ASSERT_EQ(hip().hipStreamCreateWithFlags(&with, hipStreamNonBlocking), hipSuccess);
    ASSERT_EQ(hip().hipStreamCreateWithFlags(&without, hipStreamNonBlocking), hipSuccess);
    HwQueueHandle hwq = 0, bare = 0;
    XQueueHandle xqueue = 0;
    ASSERT_EQ(HipQueueCreate(&hwq, with), kXSchedSuccess);
    ASSERT_EQ(HipQueueCreate(&bare, without), kXSchedSuccess);
    ASSERT_EQ(XQueueCreate(&xqueue, hwq, kPreemptLevelUnknown, kQueueCreateFlagNone), kXSchedSuccess);
    ASSERT_EQ(hip().hipDeviceReset(), hipSuccess);
    EXPECT_EQ(XQueueDestroy(xqueue), kXSchedErrorNotFound);
    EXPECT_EQ(HwQueueDestroy(bare), kXSchedErrorNotFound);
    ASSERT_EQ(hip().hipSetDevice(0), hipSuccess);
}

TEST_F(Streams, TheProgramsOwnXQueueIsUsedAndReplacedWhenItGoes) { expect_own_xqueue_used(); }

// Five streams of one priority on four hardware queues: a closed gate in one may stand before another's work.
TEST_F(Streams, AMoreUrgentStreamIsNotStuckBehindTheGateOfOneThatSharesItsHardwareQueue) {
    std::vector<hipStream_t> streams;
    for (int i = 0; i < 9; ++i) streams.push_back(new_stream());
    for (hipStream_t stream : streams) {
        const XQueueHandle xqueue = used_xqueue_of(stream);
        ASSERT_EQ(XHintPriority(xqueue, stream == streams.back() ? 5 : 0), kXSchedSuccess);
    }
    for (int round = 0; round < 20; ++round) {
        for (hipStream_t stream : streams) ASSERT_EQ(noop(stream), hipSuccess);
        ASSERT_EQ(hip().hipStreamSynchronize(streams.back()), hipSuccess);
    }
    for (hipStream_t stream : streams) EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

// Where the runtime ignores priorities, they do not part hardware queues. While the urgent stream has work, the other
// one's thread waits, and no gate of that one comes to stand before the urgent stream's next command.
TEST_F(Streams, OfTwoPrioritiesMayShareAHardwareQueueIfTheRuntimeIgnoresPriorities) {
    if (std::getenv("DEBUG_HIP_IGNORE_STREAM_PRIORITY") == nullptr) GTEST_SKIP() << "it does not";
    const hipStream_t usual = new_stream(hipStreamNonBlocking, 0), urgent = new_stream(hipStreamNonBlocking, -1);
    hipFunction_t spin = nullptr;
    ASSERT_EQ(hip().hipModuleGetFunction(&spin, module_, "spin"), hipSuccess);
    uint32_t us = 500'000;
    void* arguments[] = {&us};
    for (const hipStream_t stream : {usual, urgent, usual}) ASSERT_EQ(noop(stream), hipSuccess);
    ASSERT_EQ(hip().hipStreamSynchronize(usual), hipSuccess);  // what stands before the urgent stream inherits from it
    for (int i = 0; i < 10; ++i)
        ASSERT_EQ(hip().hipModuleLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, urgent, arguments, nullptr), hipSuccess);
    std::atomic<bool> ends{false};
    std::atomic<bool> waited{false};
    std::thread launching([&] {
        while (!ends) {
            const auto began = std::chrono::steady_clock::now();
            EXPECT_EQ(noop(usual), hipSuccess);
            if (std::chrono::steady_clock::now() - began > std::chrono::milliseconds(50)) waited = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(7));
        }
    });
    // Without a gate the usual stream's launch must wait for its turn. With a gate, launches return at once until the
    // cap of commands in flight is reached, after more than 3 s. The test waits 2 s for a launch that waits.
    EXPECT_TRUE(eventually([&] { return waited.load(); }, 2000)) << "it launches behind a gate";
    ends = true;
    EXPECT_EQ(hip().hipStreamSynchronize(urgent), hipSuccess);
    launching.join();
    for (const hipStream_t stream : {usual, urgent}) EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Streams, WhatIsNoStreamIsInvalid) {
    hipStream_t stream = new_stream();
    alignas(16) static unsigned char zeroes[4096] = {};
    const uintptr_t numbers[] = {1234, ~uintptr_t{7}, reinterpret_cast<uintptr_t>(zeroes),
                                 reinterpret_cast<uintptr_t>(stream) + 3};
    HwQueueHandle hwq = 77;
    for (const uintptr_t number : numbers)
        EXPECT_EQ(HipQueueCreate(&hwq, reinterpret_cast<hipStream_t>(number)), kXSchedErrorInvalidValue) << number;
    EXPECT_EQ(hipSuccess, hip().hipStreamDestroy(stream));
    EXPECT_EQ(HipQueueCreate(&hwq, stream), kXSchedErrorInvalidValue) << "a destroyed stream";
    EXPECT_EQ(hwq, 77u);
    hip().hipGetLastError();
}

}  // namespace
}  // namespace xsched::test
