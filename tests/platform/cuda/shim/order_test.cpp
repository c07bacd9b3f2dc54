// The progress that is learned from calls that wait or ask, and captures, which are left alone.
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class Order : public CudaTestWithStream {
protected:
    void SetUp() override {
        CudaTestWithStream::SetUp();
        if (HasFatalFailure()) return;
        state_of(xqueue_);  // from here on its completion is followed
        ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    }
    // A stream that stands still until go() is called.
    void stand_still() {
        *word_ = 0;
        ASSERT_EQ(cu().cuStreamWaitValue32_v2(stream_, device_word_, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
    }
    void go() { __atomic_store_n(word_, 1u, __ATOMIC_SEQ_CST); }

    size_t nodes_of(CUgraph graph) {
        size_t count = 0;
        EXPECT_EQ(cu().cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
        return count;
    }
};

TEST_F(Order, AStreamIsReadyUntilItsWorkIsDone) {
    if (std::getenv("FAKE_CUDA_NO_MEMOPS") != nullptr) GTEST_SKIP() << "needs a wait-value of the program's own";
    stand_still();
    EXPECT_EQ(state_of(xqueue_), kQueueStateReady);
    EXPECT_EQ(cu().cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(state_of(xqueue_), kQueueStateReady);
    go();
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(state_of(xqueue_), kQueueStateIdle);
}

TEST_F(Order, AnEventTellsWhatWasBeforeIt) {
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(noop(stream_), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventRecord(event, stream_), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(state_of(xqueue_), kQueueStateIdle);
    EXPECT_EQ(cu().cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Order, AnEventOfADestroyedStreamTellsNothingAboutItsSuccessor) {
    if (std::getenv("FAKE_CUDA_NO_MEMOPS") != nullptr) GTEST_SKIP() << "needs a wait-value of the program's own";
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    CUstream gone = new_stream();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(noop(gone), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventRecord(event, gone), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuStreamDestroy_v2(gone), CUDA_SUCCESS);
    CUstream next = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(next);
    state_of(xqueue);
    *word_ = 0;
    ASSERT_EQ(cu().cuStreamWaitValue32_v2(next, device_word_, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(noop(next), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(state_of(xqueue), kQueueStateReady);
    go();
    EXPECT_EQ(cu().cuStreamSynchronize(next), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(next), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Order, AContextSynchronizeSaysAllIdle) {
    const XQueueHandle null_queue = used_xqueue_of(nullptr);
    state_of(null_queue);
    ASSERT_EQ(noop(stream_), CUDA_SUCCESS);
    ASSERT_EQ(noop(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(state_of(xqueue_), kQueueStateIdle);
    EXPECT_EQ(state_of(null_queue), kQueueStateIdle);
}

TEST_F(Order, AWaitForAnEventOfASuspendedStreamBlocksNoThread) {
    if (std::getenv("FAKE_CUDA_NO_MEMOPS") != nullptr) GTEST_SKIP() << "without gates the producer itself waits";
    CUstream consumer = new_stream();
    used_xqueue_of(consumer);
    CUevent event = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
    ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventRecord(event, stream_), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuStreamWaitEvent(consumer, event, 0), CUDA_SUCCESS);
    ASSERT_EQ(append(consumer, 2), CUDA_SUCCESS);
    let_time_pass();
    EXPECT_EQ(word(), 0u);
    ASSERT_EQ(XQueueResume(xqueue_, 0), kXSchedSuccess);
    ASSERT_EQ(cu().cuStreamSynchronize(consumer), CUDA_SUCCESS);
    EXPECT_EQ(word(), 33u);
    EXPECT_EQ(cu().cuEventDestroy_v2(event), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(consumer), CUDA_SUCCESS);
}

// More launches than the cap, with every reason to gate and report: none of it gets into the graph.
TEST_F(Order, NothingOfOursGetsIntoAGraph) {
    constexpr int kLaunches = 1500;
    const long disturbed = fake_disturbed();
    CUgraph graph = nullptr;
    ASSERT_EQ(XQueueSetLaunchConfig(xqueue_, 4, 2), kXSchedSuccess);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
    ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    const int64_t before = commands_of(xqueue_);
    std::atomic<bool> stop{false};
    std::thread asker([&] {  // makes the stream report
        XQueueState state = kQueueStateUnknown;
        while (!stop) XQueueQuery(xqueue_, &state);
    });
    for (int i = 0; i < kLaunches; ++i) ASSERT_EQ(noop(stream_), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
    stop = true;
    asker.join();
    EXPECT_EQ(nodes_of(graph), static_cast<size_t>(kLaunches));
    EXPECT_EQ(commands_of(xqueue_), before) << "they run when the graph does";
    EXPECT_EQ(fake_disturbed(), disturbed);
    ASSERT_EQ(XQueueResume(xqueue_, 0), kXSchedSuccess);
    EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(noop(stream_), CUDA_SUCCESS);
    EXPECT_EQ(commands_of(xqueue_), before + 1) << "scheduled again";
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
}

// Captures begin and end while other threads make every stream report all the time.
TEST_F(Order, CapturesAndReportsOfOtherThreadsDoNotMeet) {
    const long disturbed = fake_disturbed();
    CUstream side = new_stream();
    const XQueueHandle side_queue = used_xqueue_of(side);
    const XQueueHandle null_queue = used_xqueue_of(nullptr);
    CUstream blocking = new_stream(CU_STREAM_DEFAULT);
    const XQueueHandle blocking_queue = used_xqueue_of(blocking);
    std::atomic<bool> stop{false};
    std::thread asker([&] {
        XQueueState state = kQueueStateUnknown;
        while (!stop)
            for (XQueueHandle xqueue : {xqueue_, side_queue, null_queue, blocking_queue}) XQueueQuery(xqueue, &state);
    });
    CUevent fork = nullptr;
    CUevent join = nullptr;
    ASSERT_EQ(cu().cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    for (int i = 0; i < 300; ++i) {
        CUstream stream = i % 2 == 0 ? stream_ : blocking;
        CUgraph graph = nullptr;
        ASSERT_EQ(noop(stream), CUDA_SUCCESS);
        ASSERT_EQ(noop(side), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
        ASSERT_EQ(noop(stream), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuEventRecord(fork, stream), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
        ASSERT_EQ(noop(side), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuEventRecord(join, side), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuStreamEndCapture(stream, &graph), CUDA_SUCCESS) << i;
        ASSERT_EQ(nodes_of(graph), 2u) << i;
        ASSERT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
    }
    stop = true;
    asker.join();
    EXPECT_EQ(fake_disturbed(), disturbed);
    EXPECT_EQ(cu().cuEventDestroy_v2(fork), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuEventDestroy_v2(join), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(side), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(blocking), CUDA_SUCCESS);
}

TEST_F(Order, OtherStreamsStayScheduledDuringACapture) {
    CUstream other = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(other);
    CUgraph graph = nullptr;
    ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    const int64_t before = commands_of(xqueue);
    EXPECT_EQ(noop(other), CUDA_SUCCESS);
    EXPECT_EQ(commands_of(xqueue), before + 1);
    ASSERT_EQ(cu().cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamDestroy_v2(other), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
