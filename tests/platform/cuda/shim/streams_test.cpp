// Which streams are scheduled: all of them, from their first use to their end.
#include <vector>

#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class Streams : public CudaTest {};

TEST_F(Streams, TheNullStreamIsScheduled) { expect_null_stream_scheduled(CU_STREAM_LEGACY); }

TEST_F(Streams, EachContextHasItsOwnNullStream) {
    const XQueueHandle first = used_xqueue_of(nullptr);
    CUcontext other = nullptr;
    ASSERT_EQ(cu().cuCtxCreate_v2(&other, 0, 1), CUDA_SUCCESS);  // and current
    EXPECT_EQ(xqueue_of(nullptr), 0u);
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuMemsetD8Async(memory, 1, 16, nullptr), CUDA_SUCCESS);
    const XQueueHandle second = xqueue_of(nullptr);
    EXPECT_NE(second, 0u);
    EXPECT_NE(second, first);
    ASSERT_EQ(cu().cuMemFree_v2(memory), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxDestroy_v2(other), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(xqueue_of(nullptr), first);
}

// A context with a high priority has an XQueue for its default stream already at its first allocation, before its
// first command.
TEST_F(Streams, AnUrgentProgramsDefaultStreamIsScheduledFromItsFirstAllocation) {
    CUcontext context = nullptr;
    ASSERT_EQ(cu().cuCtxCreate_v2(&context, 0, 1), CUDA_SUCCESS);  // and current
    EXPECT_EQ(xqueue_of(nullptr), 0u);
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
    const char* const priority = std::getenv("XSCHED_AUTO_XQUEUE_PRIORITY");
    EXPECT_EQ(xqueue_of(nullptr) != 0, priority != nullptr && atoi(priority) > 0);
    ASSERT_EQ(cu().cuMemFree_v2(memory), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxDestroy_v2(context), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
}

TEST_F(Streams, EachThreadHasItsOwnDefaultStreamUntilItEnds) {
    expect_default_stream_of_each_thread(CU_STREAM_PER_THREAD);
}

TEST_F(Streams, AStreamThatTheShimNeverSawIsScheduledFromItsFirstUse) {
    CUstream stream = nullptr;
    ASSERT_EQ(fake_cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(xqueue_of(stream), 0u);
    EXPECT_EQ(commands_of(used_xqueue_of(stream)), 1);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Streams, ADestroyedStreamTakesItsXQueueAlong) {
    CUstream stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    ASSERT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    XQueueState state = kQueueStateUnknown;
    EXPECT_EQ(XQueueQuery(xqueue, &state), kXSchedErrorNotFound);
    // The driver reuses the addresses of destroyed streams: each new stream must get a new XQueue all the same.
    for (int i = 0; i < 200; ++i) {
        CUstream again = new_stream();
        ASSERT_EQ(commands_of(used_xqueue_of(again)), 1);
        ASSERT_EQ(cu().cuStreamDestroy_v2(again), CUDA_SUCCESS);
    }
}

TEST_F(Streams, DestroyingASuspendedStreamWithWorkPendingHangsNobody) {
    CUstream stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
    std::thread program([&] {
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
        EXPECT_EQ(append(stream, 7), CUDA_SUCCESS);
    });
    let_time_pass();
    EXPECT_EQ(word(), 0u);
    // Without gates (value waits of the hardware), the thread waits in its launch until the resume. So the stream is
    // resumed first: a program destroys no stream that it is using.
    const bool waits = std::getenv("FAKE_CUDA_NO_MEMOPS") != nullptr;
    EXPECT_EQ(waits ? XQueueResume(xqueue, 0) : kXSchedSuccess, kXSchedSuccess);
    program.join();
    ASSERT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(word(), 7u);
}

TEST_F(Streams, AContextTakesAllItsStreamsAlong) {
    CUcontext context = nullptr;
    ASSERT_EQ(cu().cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
    std::vector<XQueueHandle> xqueues;
    for (CUstream stream : {new_stream(), new_stream(CU_STREAM_DEFAULT), CUstream{nullptr}, CU_STREAM_PER_THREAD}) {
        ASSERT_EQ(cu().cuMemsetD8Async(memory, 1, 16, stream), CUDA_SUCCESS);
        xqueues.push_back(xqueue_of(stream));
        ASSERT_NE(xqueues.back(), 0u);
        ASSERT_EQ(XQueueSuspend(xqueues.back(), kQueueSuspendFlagNone), kXSchedSuccess);
    }
    ASSERT_EQ(cu().cuCtxDestroy_v2(context), CUDA_SUCCESS);
    for (XQueueHandle xqueue : xqueues) {
        int64_t count = 0;
        EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &count), kXSchedErrorNotFound);
    }
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    EXPECT_EQ(noop(nullptr), CUDA_SUCCESS);
}

TEST_F(Streams, AResetDeviceCanBeUsedAgain) {
    CUcontext context = nullptr;
    ASSERT_EQ(cu().cuDevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(cu().cuDevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuCtxSetCurrent(context), CUDA_SUCCESS);
        CUdeviceptr memory = 0;
        ASSERT_EQ(cu().cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuMemsetD8Async(memory, 1, 16, nullptr), CUDA_SUCCESS);
        const XQueueHandle xqueue = xqueue_of(nullptr);
        ASSERT_NE(xqueue, 0u);
        ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
        ASSERT_EQ(cu().cuDevicePrimaryCtxReset_v2(1), CUDA_SUCCESS);
        XQueueState state = kQueueStateUnknown;
        EXPECT_EQ(XQueueQuery(xqueue, &state), kXSchedErrorNotFound);
    }
}

// The memory of a context's gates may have been registered through another context. When that one ends, the gates
// still work.
TEST_F(Streams, GatesOfOtherContextsSurviveTheContextThatRegisteredTheirMemory) {
    CUcontext first = nullptr;
    ASSERT_EQ(cu().cuCtxCreate_v2(&first, 0, 1), CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuMemsetD8Async(memory, 1, 16, nullptr), CUDA_SUCCESS);
    const XQueueHandle registered = xqueue_of(nullptr);
    ASSERT_EQ(XQueueSuspend(registered, kQueueSuspendFlagNone), kXSchedSuccess);
    ASSERT_EQ(XQueueResume(registered, 0), kXSchedSuccess);
    state_of(registered);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    CUstream stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    state_of(xqueue);  // binds its words
    ASSERT_EQ(cu().cuStreamSynchronize(stream), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxDestroy_v2(first), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
    for (int i = 1; i <= 3; ++i) ASSERT_EQ(append(stream, 1), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(state_of(xqueue), kQueueStateIdle);
    EXPECT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Streams, TheProgramsOwnXQueueIsUsedAndReplacedWhenItGoes) {
    const HwQueueHandle hwq = expect_own_xqueue_used();
    EXPECT_EQ(HwQueueDestroy(hwq), kXSchedErrorNotFound) << "it went with its stream";
}

TEST_F(Streams, AThreadWithoutAContextCanMakeAQueue) {
    CUstream stream = new_stream();
    expect_queue_from_thread(stream, [&] {
        CUcontext current = nullptr;
        EXPECT_EQ(cu().cuCtxGetCurrent(&current), CUDA_SUCCESS);
        EXPECT_EQ(current, nullptr) << "left as it was";
    });
}

// If a stream is destroyed, its wrapper goes too, even if the program made the wrapper itself (CudaQueueCreate) and
// never launched anything: the driver may give a later stream the same address.
TEST_F(Streams, ADestroyedStreamLeavesNoWrapperOfTheProgramsBehind) {
    for (const bool with_xqueue : {false, true}) {
        CUstream stream = new_stream();
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        ASSERT_EQ(CudaQueueCreate(&hwq, stream), kXSchedSuccess);
        if (with_xqueue) {
            ASSERT_EQ(XQueueCreate(&xqueue, hwq, 0, 0), kXSchedSuccess);
        }
        ASSERT_EQ(cu().cuStreamDestroy_v2(stream), CUDA_SUCCESS);
        EXPECT_TRUE(eventually([&] { return HwQueueSynchronize(hwq) == kXSchedErrorNotFound; }));
        if (with_xqueue) {
            EXPECT_EQ(XQueueResume(xqueue, 0), kXSchedErrorNotFound);
        }
    }
}

}  // namespace
}  // namespace xsched::test
