// The things that a suspension must not do: fill the driver with things other than launches, or get into a capture
// elsewhere.
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class SuspendedStream : public CudaTest {
protected:
    void SetUp() override {
        CudaTest::SetUp();
        stream_ = new_stream();
        xqueue_ = used_xqueue_of(stream_);
        ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
        blocked_before_ = blocked();
        disturbed_before_ = fake_disturbed();
    }
    void TearDown() override {
        XQueueResume(xqueue_, kQueueResumeFlagNone);
        EXPECT_EQ(cu().cuStreamDestroy_v2(stream_), CUDA_SUCCESS);
        EXPECT_EQ(blocked(), blocked_before_) << "a thread waited in the driver because a stream was full";
        EXPECT_EQ(fake_disturbed(), disturbed_before_) << "a capture was disturbed";
        CudaTest::TearDown();
    }
    static long blocked() {
        return fake_control<decltype(&fake_cuda_blocked_in_driver)>("fake_cuda_blocked_in_driver")();
    }

    // Runs `each` 2000 times on a thread of its own while the queue is suspended; then resumes it and calls `finally`.
    void many_while_suspended(const std::function<void()>& each, const std::function<void()>& finally = [] {}) {
        ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
        std::atomic<int> done{0};
        std::thread program([&] {
            ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
            for (; done < 2000; ++done) each();
        });
        for (int before = -1; before != done; let_time_pass()) before = done;  // until it stands still
        EXPECT_LT(done, 2000);
        EXPECT_EQ(blocked(), blocked_before_);
        EXPECT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
        finally();
        program.join();
        EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
        blocked_before_ = blocked();  // an open stream may fill, as it does without us
    }

    CUstream stream_ = nullptr;
    XQueueHandle xqueue_ = 0;
    long blocked_before_ = 0;
    long disturbed_before_ = 0;
};

// Records an event after every few kernels, as PyTorch's allocator does.
TEST_F(SuspendedStream, EventsBetweenTheLaunchesDoNotFillTheDriver) {
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    many_while_suspended([&] {
        ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuEventRecord(event, stream_), CUDA_SUCCESS);
    });
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(SuspendedStream, WaitsForEventsOfOthersDoNotFillTheDriver) {
    if (!gates()) GTEST_SKIP() << "without gates the first launch on the other stream waits";
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    const CUstream other = new_stream();
    const XQueueHandle other_queue = used_xqueue_of(other);
    ASSERT_EQ(cu().cuStreamSynchronize(other), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(other_queue, kQueueSuspendFlagNone), kXSchedSuccess);
    ASSERT_EQ(append(other, 1), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventRecord(event, other), CUDA_SUCCESS);
    const auto launch_and_wait = [&] {
        ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamWaitEvent(stream_, event, 0), CUDA_SUCCESS);
    };
    many_while_suspended(launch_and_wait, [&] { XQueueResume(other_queue, kQueueResumeFlagNone); });
    EXPECT_EQ(cu().cuStreamDestroy_v2(other), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

// An event recorded in a suspended stream without work completes: recording is no work, and is held back only behind
// work.
TEST_F(SuspendedStream, AnEventBehindNoWorkIsComplete) {
    if (!gates()) GTEST_SKIP() << "without gates the thread that records waits";
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
    ASSERT_EQ(cu().cuEventRecord(event, stream_), CUDA_SUCCESS);
    EXPECT_TRUE(eventually([&] { return cu().cuEventQuery(event) == CUDA_SUCCESS; }));
    ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventRecord(event, stream_), CUDA_SUCCESS);
    let_time_pass();
    EXPECT_EQ(cu().cuEventQuery(event), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
    EXPECT_EQ(cu().cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

// The legacy stream may not be touched at all while a blocking stream of its context is captured.
TEST_F(SuspendedStream, TheNullStreamsQueueLeavesABlockingStreamsCaptureAlone) {
    const XQueueHandle null_queue = used_xqueue_of(nullptr);
    const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
    std::atomic<bool> stop{false};
    std::thread other([&] {
        XQueueState state = kQueueStateUnknown;
        for (int i = 0; !stop; ++i) {
            EXPECT_EQ(XQueueSuspend(null_queue, kQueueSuspendFlagNone), kXSchedSuccess);
            EXPECT_EQ(XQueueQuery(null_queue, &state), kXSchedSuccess);
            EXPECT_EQ(XQueueResume(null_queue, kQueueResumeFlagNone), kXSchedSuccess);
            EXPECT_EQ(XQueueQuery(null_queue, &state), kXSchedSuccess);
        }
    });
    for (int i = 0; i < 300; ++i) {
        ASSERT_EQ(append(nullptr, 1), CUDA_SUCCESS);  // there is something to report
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
        ASSERT_EQ(append(blocking, 1), CUDA_SUCCESS);
        CUgraph graph = nullptr;
        ASSERT_EQ(cu().cuStreamEndCapture(blocking, &graph), CUDA_SUCCESS) << "round " << i;
        size_t nodes = 0;
        EXPECT_EQ(cu().cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
        EXPECT_EQ(nodes, 1u);
        EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
    }
    stop = true;
    other.join();
    EXPECT_EQ(cu().cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(blocking), CUDA_SUCCESS);
}

// A wait for a queue may last: a capture of its stream, or of another, that begins meanwhile is none of its business.
TEST_F(SuspendedStream, WaitingForAQueueLeavesCapturesAlone) {
    std::atomic<bool> stop{false};
    std::atomic<int> waits{0};
    std::thread other([&] {
        for (; !stop; ++waits) {
            const XResult result = XQueueWaitAll(xqueue_);
            EXPECT_TRUE(result == kXSchedSuccess || result == kXSchedErrorNotAllowed) << result;
        }
    });
    for (int i = 0; i < 2000 || waits < 200; ++i) {
        ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
        ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
        CUgraph graph = nullptr;
        ASSERT_EQ(cu().cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS) << "round " << i;
        EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
        if (i % 100 == 0) {
            EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);  // the stream does not fill
        }
    }
    stop = true;
    other.join();
}

// The first suspension registers the memory for gates. This must work while another thread has a capture in global
// mode, which forbids such calls.
TEST_F(SuspendedStream, GatesAreSetUpBesideAGlobalCapture) {
    const CUstream captured = new_stream();
    ASSERT_EQ(cu().cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    ASSERT_EQ(append(captured, 1), CUDA_SUCCESS);
    std::thread other([&] {
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
        for (int i = 0; i < 40; ++i) {  // slots on more than one page
            const CUstream fresh = new_stream();
            const XQueueHandle queue = used_xqueue_of(fresh);
            EXPECT_EQ(XQueueSuspend(queue, kQueueSuspendFlagNone), kXSchedSuccess);
            EXPECT_EQ(XQueueResume(queue, kQueueResumeFlagNone), kXSchedSuccess);
            EXPECT_EQ(noop(fresh), CUDA_SUCCESS);
            EXPECT_EQ(cu().cuStreamDestroy_v2(fresh), CUDA_SUCCESS);
        }
    });
    other.join();
    CUgraph graph = nullptr;
    EXPECT_EQ(cu().cuStreamEndCapture(captured, &graph), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(captured), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
