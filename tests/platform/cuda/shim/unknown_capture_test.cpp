// Captures that begin, or end, by functions that the table does not know: the driver knows of them, and so do we.
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class UnknownCapture : public CudaTestWithStream {
protected:
    using Begin = CUresult (*)(CUstream, CUstreamCaptureMode, void*);
    using End = CUresult (*)(CUstream, CUgraph*, void*);

    template <typename Function>
    static Function future(const char* name) {
        void* function = nullptr;
        EXPECT_EQ(cu().cuGetProcAddress_v2(name, &function, 99000, 0, nullptr), CUDA_SUCCESS) << name;
        return reinterpret_cast<Function>(function);
    }
    void begin_unknown() {
        const auto begin = future<Begin>("cuStreamBeginFutureCapture");
        ASSERT_EQ(begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED, nullptr), CUDA_SUCCESS);
    }
    void begin_known() {
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    }
    void end_known() { ASSERT_EQ(cu().cuStreamEndCapture(stream_, &graph_), CUDA_SUCCESS); }
    void end_unknown() { ASSERT_EQ(future<End>("cuStreamEndFutureCapture")(stream_, &graph_, nullptr), CUDA_SUCCESS); }
    // How many nodes the graph has. It goes.
    size_t nodes() {
        size_t count = 0;
        EXPECT_EQ(cu().cuGraphGetNodes(graph_, nullptr, &count), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuGraphDestroy(graph_), CUDA_SUCCESS);
        return count;
    }
    // Launches into the stream that is captured, while its queue is suspended: a launch that counted as work would
    // wait.
    void expect_launches_wait_for_nothing(int launches) {
        ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
        const int64_t before = commands_of(xqueue_);
        std::atomic<int> done{0};
        std::thread program([&] {
            begin_thread();
            for (; done < launches; ++done) ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
        });
        EXPECT_TRUE(eventually([&] { return done == launches; })) << "the thread stands after " << done;
        EXPECT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
        program.join();
        EXPECT_EQ(commands_of(xqueue_), before) << "launches into a graph are no commands";
    }

    CUgraph graph_ = nullptr;
};

constexpr int kLaunches = 1000;  // more than a closed queue takes

TEST_F(UnknownCapture, ItsLaunchesAreNoCommands) {
    begin_unknown();
    expect_launches_wait_for_nothing(kLaunches);
    end_known();
    EXPECT_EQ(nodes(), size_t{kLaunches});
    expect_held_while_suspended(xqueue_, stream_);
}

TEST_F(UnknownCapture, TheNextOneIsKnownAsOne) {
    begin_unknown();
    ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    end_known();
    EXPECT_EQ(nodes(), 1u);
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    const int64_t before = commands_of(xqueue_);
    begin_known();
    for (int i = 0; i < 100; ++i) ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    end_known();
    EXPECT_EQ(nodes(), 100u);
    EXPECT_EQ(commands_of(xqueue_), before);
    EXPECT_EQ(state_of(xqueue_), kQueueStateIdle) << "nothing of it has run";
    begin_known();
    expect_launches_wait_for_nothing(kLaunches);
    end_known();
    EXPECT_EQ(nodes(), size_t{kLaunches});
}

// CUDA 13.3's, and 13.2's for graphics, which ends without a graph.
TEST_F(UnknownCapture, ARecaptureAndOneToGraphicsAreKnown) {
    using BeginCig = CUresult (*)(CUstream, void*);
    using EndCig = CUresult (*)(CUstream);
    begin_known();
    end_known();
    const CUgraph first = graph_;
    ASSERT_EQ(cu().cuStreamBeginRecaptureToGraph(stream_, CU_STREAM_CAPTURE_MODE_RELAXED, first, nullptr, nullptr),
              CUDA_SUCCESS);
    expect_launches_wait_for_nothing(kLaunches);
    end_known();
    EXPECT_EQ(nodes(), size_t{kLaunches});
    EXPECT_EQ(cu().cuGraphDestroy(first), CUDA_SUCCESS);
    const auto begin = reinterpret_cast<BeginCig>(dlsym(opened_driver(), "cuStreamBeginCaptureToCig"));
    const auto end = reinterpret_cast<EndCig>(dlsym(opened_driver(), "cuStreamEndCaptureToCig"));
    ASSERT_EQ(begin(stream_, nullptr), CUDA_SUCCESS);
    expect_launches_wait_for_nothing(kLaunches);
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    expect_command(xqueue_, "a launch", [this] { return append(stream_, 1); });
}

TEST_F(UnknownCapture, AfterAnUnknownEndLaunchesAreCommandsAgain) {
    begin_known();
    ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    end_unknown();
    EXPECT_EQ(nodes(), 1u);
    expect_command(xqueue_, "a launch", [this] { return append(stream_, 1); });
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    expect_held_while_suspended(xqueue_, stream_);
}

TEST_F(UnknownCapture, OfAThreadsOwnStreamEndsWithTheThread) {
    std::thread([&] {
        begin_thread();
        const XQueueHandle own = used_xqueue_of(CU_STREAM_PER_THREAD);
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
        const int64_t before = commands_of(own);
        ASSERT_EQ(append(CU_STREAM_PER_THREAD, 1), CUDA_SUCCESS);
        EXPECT_EQ(commands_of(own), before);
        ASSERT_EQ(future<End>("cuStreamEndFutureCapture")(CU_STREAM_PER_THREAD, &graph_, nullptr), CUDA_SUCCESS);
    }).join();
    EXPECT_EQ(nodes(), 1u);
    begin_unknown();  // others are as before
    expect_launches_wait_for_nothing(kLaunches);
    end_unknown();
    EXPECT_EQ(nodes(), size_t{kLaunches});
}

// A graph has one node for a copy, however large it is.
TEST_F(UnknownCapture, ALargeCopyIsOneNode) {
    constexpr size_t kLargeBytes = size_t{256} * 1024 * 1024;
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, kLargeBytes), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);  // from here on it competes
    ASSERT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
    begin_unknown();
    EXPECT_EQ(cu().cuMemcpyDtoDAsync_v2(memory, memory + kLargeBytes / 2, kLargeBytes / 2, stream_), CUDA_SUCCESS);
    end_known();
    EXPECT_EQ(nodes(), 1u);
    EXPECT_EQ(cu().cuMemFree_v2(memory), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
