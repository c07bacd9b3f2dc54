// Calls that become commands, and a suspended queue's commands, which wait: on every kind of stream, in every form of
// call.
#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

class Commands : public CudaTestWithStream {
protected:
    void SetUp() override {
        CudaTestWithStream::SetUp();
        if (HasFatalFailure()) return;
        null_ = used_xqueue_of(nullptr);
        ASSERT_EQ(cu().cuMemAlloc_v2(&memory_, kBytes), CUDA_SUCCESS);
    }
    void TearDown() override {
        EXPECT_TRUE(memory_ == 0 || cu().cuMemFree_v2(memory_) == CUDA_SUCCESS);
        CudaTestWithStream::TearDown();
    }
    static constexpr size_t kBytes = 64;
    XQueueHandle null_ = 0;
    CUdeviceptr memory_ = 0;
    unsigned char host_[kBytes] = {};
};

TEST_F(Commands, AsynchronousCallsAreCommandsOfTheirStream) {
    const auto on_stream = [&](const char* name, const std::function<CUresult()>& call) {
        expect_command(xqueue_, name, call);
    };
    const auto& c = cu();
    on_stream("kernel", [&] { return noop(stream_); });
    on_stream("kernel ex", [&] {
        CUlaunchConfig config{};
        config.gridDimX = config.gridDimY = config.gridDimZ = 1;
        config.blockDimX = config.blockDimY = config.blockDimZ = 1;
        config.hStream = stream_;
        return c.cuLaunchKernelEx(&config, noop_, nullptr, nullptr);
    });
    on_stream("cooperative", [&] { return c.cuLaunchCooperativeKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr); });
    on_stream("copy", [&] { return c.cuMemcpyAsync(memory_, memory_ + 32, 16, stream_); });
    on_stream("to device", [&] { return c.cuMemcpyHtoDAsync_v2(memory_, host_, kBytes, stream_); });
    on_stream("from device", [&] { return c.cuMemcpyDtoHAsync_v2(host_, memory_, kBytes, stream_); });
    on_stream("on device", [&] { return c.cuMemcpyDtoDAsync_v2(memory_, memory_ + 32, 16, stream_); });
    on_stream("fill 8", [&] { return c.cuMemsetD8Async(memory_, 1, kBytes, stream_); });
    on_stream("fill 16", [&] { return c.cuMemsetD16Async(memory_, 1, kBytes / 2, stream_); });
    on_stream("fill 32", [&] { return c.cuMemsetD32Async(memory_, 1, kBytes / 4, stream_); });
    on_stream("host function", [&] { return c.cuLaunchHostFunc(stream_, [](void*) {}, nullptr); });
    on_stream("copy with attributes",
              [&] { return c.cuMemcpyWithAttributesAsync(memory_, memory_ + 32, 16, nullptr, stream_); });
    on_stream("host function v2", [&] { return c.cuLaunchHostFunc_v2(stream_, [](void*) {}, nullptr, 0); });
    on_stream("callback", [&] { return c.cuStreamAddCallback(stream_, [](CUstream, CUresult, void*) {}, nullptr, 0); });
    if (gates()) on_stream("write value", [&] { return c.cuStreamWriteValue32_v2(stream_, memory_, 5, 0); });
    CUdeviceptr made = 0;
    on_stream("alloc", [&] { return c.cuMemAllocAsync(&made, 16, stream_); });
    EXPECT_NE(made, 0u) << "the pointer is there when the call returns";
    on_stream("free", [&] { return c.cuMemFreeAsync(made, stream_); });
    EXPECT_EQ(c.cuStreamSynchronize(stream_), CUDA_SUCCESS);
}

TEST_F(Commands, SynchronousCallsAreCommandsOfTheNullStream) {
    const auto& c = cu();
    expect_command(null_, "to device", [&] { return c.cuMemcpyHtoD_v2(memory_, host_, kBytes); });
    expect_command(null_, "from device", [&] { return c.cuMemcpyDtoH_v2(host_, memory_, kBytes); });
    expect_command(null_, "on device", [&] { return c.cuMemcpyDtoD_v2(memory_, memory_ + 32, 16); });
    expect_command(null_, "copy", [&] { return c.cuMemcpy(memory_, memory_ + 32, 16); });
    expect_command(null_, "fill 8", [&] { return c.cuMemsetD8_v2(memory_, 1, kBytes); });
    expect_command(null_, "fill 32", [&] { return c.cuMemsetD32_v2(memory_, 1, kBytes / 4); });
    expect_command(null_, "from device", [&] { return c.cuMemcpyDtoH_v2(host_, memory_, kBytes); });
    EXPECT_TRUE(eventually([&] { return state_of(null_) == kQueueStateIdle; }));
}

TEST_F(Commands, ThePerThreadFormsMeanTheThreadsOwnStream) {
    const auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(dlsym(opened_driver(), "cuLaunchKernel_ptsz"));
    const auto fill = reinterpret_cast<decltype(&cuMemsetD8_v2)>(dlsym(opened_driver(), "cuMemsetD8_v2_ptds"));
    ASSERT_NE(launch, nullptr);
    const XQueueHandle own = used_xqueue_of(CU_STREAM_PER_THREAD);
    expect_command(own, "kernel", [&] { return launch(noop_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr); });
    expect_command(null_, "kernel",
                   [&] { return launch(noop_, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, nullptr, nullptr); });
    if (fill != nullptr) expect_command(own, "fill", [&] { return fill(memory_, 1, kBytes); });
}

TEST_F(Commands, AGraphIsOneCommand) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    ASSERT_EQ(cu().cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    for (uint32_t i = 0; i < 3; ++i) ASSERT_EQ(append(stream_, i), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
    expect_command(xqueue_, "graph", [&] { return cu().cuGraphLaunch(executable, stream_); });
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(word(), 31u + 2u);
    EXPECT_EQ(cu().cuGraphExecDestroy(executable), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(Commands, CooperativeLaunchesOnSeveralDevicesAreCommandsOfEach) {
    CUDA_LAUNCH_PARAMS list[1] = {};
    list[0] = {noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr};
    expect_command(xqueue_, "list", [&] { return cu().cuLaunchCooperativeKernelMultiDevice(list, 1, 0); });
}

TEST_F(Commands, AFailedCallKeepsItsErrorAndHurtsNothing) {
    EXPECT_NE(cu().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr), CUDA_SUCCESS);
    expect_works(xqueue_, stream_);
}

#include "platform/stream/shim/suspended_stream_tests.h"

TEST_F(Commands, ASynchronousCopyWaitsForASuspendedNullStream) {
    expect_copy_waits(null_, [this](uint32_t* seen) { return cu().cuMemcpyDtoH_v2(seen, device_word_, sizeof *seen); });
}

TEST_F(Commands, ManyLaunchesBehindASuspensionKeepTheDriverFree) {
    if (!gates()) GTEST_SKIP() << "without gates the first one waits";
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    ASSERT_EQ(XQueueSuspend(xqueue_, kQueueSuspendFlagNone), kXSchedSuccess);
    const auto blocked = fake_control<decltype(&fake_cuda_blocked_in_driver)>("fake_cuda_blocked_in_driver");
    const long blocked_before = blocked();
    std::atomic<int> launched{0};
    std::thread program([&] {
        ASSERT_EQ(cu().cuCtxSetCurrent(context_), CUDA_SUCCESS);
        for (int i = 0; i < 2000; ++i, ++launched) ASSERT_EQ(append(stream_, 1), CUDA_SUCCESS);
    });
    EXPECT_TRUE(eventually([&] { return launched >= 400; }));
    let_time_pass();
    EXPECT_LT(launched, 1000);
    // While the launch waits, other calls into the driver return: the waiting thread is not inside the driver.
    EXPECT_EQ(noop(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cu().cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(blocked(), blocked_before);
    ASSERT_EQ(XQueueResume(xqueue_, 0), kXSchedSuccess);
    program.join();
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
