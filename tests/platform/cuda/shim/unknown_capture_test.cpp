// Tests captures that begin or end by functions that the shim does not hook: the shim learns of them by asking the
// driver.
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class UnknownCapture : public CudaTestWithStream {
public:  // for what HIP's tests share
    using CudaTestWithStream::append;
    using CudaTestWithStream::begin_thread;
    using CudaTestWithStream::commands_of;
    using CudaTestWithStream::kSuccess;
    using CudaTestWithStream::stream_;

protected:
    using Begin = CUresult (*)(CUstream, CUstreamCaptureMode, void*);
    using End = CUresult (*)(CUstream, CUgraph*, void*);
    static inline const CUstream kThreadsOwn = CU_STREAM_PER_THREAD;

    template <typename Function>
    static Function future(const char* name) {
        void* function = nullptr;
        EXPECT_EQ(cu().cuGetProcAddress_v2(name, &function, 99000, 0, nullptr), CUDA_SUCCESS) << name;
        return reinterpret_cast<Function>(function);
    }
    static void begin_unknown(CUstream stream) {
        const auto begin = future<Begin>("cuStreamBeginFutureCapture");
        ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED, nullptr), CUDA_SUCCESS);
    }
    static void begin_known(CUstream stream) {
        ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    }
    void end_known(CUstream stream) { ASSERT_EQ(cu().cuStreamEndCapture(stream, &graph_), CUDA_SUCCESS); }
    void end_unknown(CUstream stream) {
        ASSERT_EQ(future<End>("cuStreamEndFutureCapture")(stream, &graph_, nullptr), CUDA_SUCCESS);
    }
    // Returns how many nodes the graph has, and destroys it.
    size_t nodes() {
        size_t count = 0;
        EXPECT_EQ(cu().cuGraphGetNodes(graph_, nullptr, &count), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuGraphDestroy(graph_), CUDA_SUCCESS);
        return count;
    }

    CUgraph graph_ = nullptr;
};

#include "platform/stream/shim/unknown_capture_tests.h"

// The shim knows two newer ways to capture: that of CUDA 13.3 into an existing graph, and that of CUDA 13.2 for
// graphics, which ends without a graph. In both no launch waits at a gate.
TEST_F(UnknownCapture, ARecaptureAndOneToGraphicsAreKnown) {
    using BeginCig = CUresult (*)(CUstream, void*);
    using EndCig = CUresult (*)(CUstream);
    begin_known(stream_);
    end_known(stream_);
    const CUgraph first = graph_;
    ASSERT_EQ(cu().cuStreamBeginRecaptureToGraph(stream_, CU_STREAM_CAPTURE_MODE_RELAXED, first, nullptr, nullptr),
              CUDA_SUCCESS);
    unknown_capture::expect_launches_wait_for_nothing(*this, xqueue_);
    end_known(stream_);
    EXPECT_EQ(nodes(), size_t{unknown_capture::kLaunches});
    EXPECT_EQ(cu().cuGraphDestroy(first), CUDA_SUCCESS);
    const auto begin = reinterpret_cast<BeginCig>(dlsym(opened_driver(), "cuStreamBeginCaptureToCig"));
    const auto end = reinterpret_cast<EndCig>(dlsym(opened_driver(), "cuStreamEndCaptureToCig"));
    ASSERT_EQ(begin(stream_, nullptr), CUDA_SUCCESS);
    unknown_capture::expect_launches_wait_for_nothing(*this, xqueue_);
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    expect_command(xqueue_, "a launch", [this] { return append(stream_, 1); });
}

// Within a capture a large copy must not be split into pieces: the graph has one node for it.
TEST_F(UnknownCapture, ALargeCopyIsOneNode) {
    constexpr size_t kLargeBytes = size_t{256} * 1024 * 1024;
    CUdeviceptr memory = 0;
    ASSERT_EQ(cu().cuMemAlloc_v2(&memory, kLargeBytes), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);  // from here on it competes
    ASSERT_EQ(XQueueResume(xqueue_, kQueueResumeFlagNone), kXSchedSuccess);
    begin_unknown(stream_);
    EXPECT_EQ(cu().cuMemcpyDtoDAsync_v2(memory, memory + kLargeBytes / 2, kLargeBytes / 2, stream_), CUDA_SUCCESS);
    end_known(stream_);
    EXPECT_EQ(nodes(), 1u);
    EXPECT_EQ(cu().cuMemFree_v2(memory), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
