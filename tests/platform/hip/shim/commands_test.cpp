// Calls that become commands, and a suspended queue's commands, which wait: on every kind of stream, in every form of
// call.
#include <vector>

#include "platform/hip/shim/program.h"
#include "platform/stream/hal/launch_attribute.h"

namespace xsched::test {
namespace {

class Commands : public HipTestWithStream {
protected:
    void SetUp() override {
        HipTestWithStream::SetUp();
        if (HasFatalFailure()) return;
        null_ = used_xqueue_of(nullptr);
        ASSERT_EQ(hip().hipMalloc(&memory_, kBytes), hipSuccess);
        modules_ = hip().__hipRegisterFatBinary(&binary_);
        hip().__hipRegisterFunction(modules_, &host_noop_, &host_noop_, "noop", -1u, nullptr, nullptr, nullptr, nullptr,
                                    nullptr);
    }
    void TearDown() override {
        hip().__hipUnregisterFatBinary(modules_);
        EXPECT_TRUE(memory_ == nullptr || hip().hipFree(memory_) == hipSuccess);
        HipTestWithStream::TearDown();
    }
    void on_stream(const char* name, const std::function<hipError_t()>& call) { expect_command(xqueue_, name, call); }
    // Launches with a configuration, which AMD's own runtime has from ROCm 6.5 on.
    void configured_launches() {
        on_stream("exc", [&] {
            const hipLaunchConfig_t config{kOne, kOne, 0, stream_, nullptr, 0};
            return hip().hipLaunchKernelExC(&config, &host_noop_, nullptr);
        });
        on_stream("drv ex", [&] {
            const HIP_LAUNCH_CONFIG config{1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0};
            return hip().hipDrvLaunchKernelEx(&config, noop_, nullptr, nullptr);
        });
        on_stream("cooperative by attribute", [&] {
            stream::LaunchAttribute attribute{stream::kCooperativeAttribute, {1}};
            const hipLaunchConfig_t config{kOne, kOne, 0, stream_, &attribute, 1};
            return hip().hipLaunchKernelExC(&config, &host_noop_, nullptr);
        });
    }
    void on_null(const char* name, const std::function<hipError_t()>& call) { expect_command(null_, name, call); }

    struct FatBinary {
        uint32_t magic, version;
        const void* image;
        void* unused;
    };
    static constexpr size_t kBytes = 64;
    FatBinary binary_{0x48495046, 1, image(), nullptr};
    void** modules_ = nullptr;
    char host_noop_ = 0;
    XQueueHandle null_ = 0;
    void* memory_ = nullptr;
    unsigned char host_[kBytes] = {};
};

TEST_F(Commands, LaunchesOfAllKindsAreCommands) {
    const auto& h = hip();
    hipEvent_t start = nullptr, stop = nullptr;
    ASSERT_EQ(h.hipEventCreateWithFlags(&start, 0), hipSuccess);
    ASSERT_EQ(h.hipEventCreateWithFlags(&stop, 0), hipSuccess);
    on_stream("module", [&] { return noop(stream_); });
    on_stream("runtime", [&] { return h.hipLaunchKernel(&host_noop_, kOne, kOne, nullptr, 0, stream_); });
    on_stream("ext",
              [&] { return h.hipExtLaunchKernel(&host_noop_, kOne, kOne, nullptr, 0, stream_, start, stop, 0); });
    EXPECT_EQ(h.hipEventSynchronize(stop), hipSuccess);
    on_stream("ext module", [&] {
        return h.hipExtModuleLaunchKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr, start, stop, 0);
    });
    on_stream("hcc module", [&] {
        return h.hipHccModuleLaunchKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr, nullptr, nullptr);
    });
    if (h.hipLaunchKernelExC != nullptr) configured_launches();
    on_stream("cooperative",
              [&] { return h.hipLaunchCooperativeKernel(&host_noop_, kOne, kOne, nullptr, 0, stream_); });
    on_stream("module cooperative",
              [&] { return h.hipModuleLaunchCooperativeKernel(noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr); });
    hipLaunchParams list[1] = {{&host_noop_, kOne, kOne, nullptr, 0, stream_}};
    on_stream("several", [&] { return h.hipExtLaunchMultiKernelMultiDevice(list, 1, 0); });
    on_stream("several cooperative", [&] { return h.hipLaunchCooperativeKernelMultiDevice(list, 1, 0); });
    hipFunctionLaunchParams functions_list[1] = {{noop_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr}};
    on_stream("several functions", [&] { return h.hipModuleLaunchCooperativeKernelMultiDevice(functions_list, 1, 0); });
    EXPECT_EQ(h.hipConfigureCall(kOne, kOne, 0, stream_), hipSuccess);
    on_stream("by pointer", [&] { return h.hipLaunchByPtr(&host_noop_); });
    on_null("of the NULL stream", [&] { return h.hipLaunchKernel(&host_noop_, kOne, kOne, nullptr, 0, nullptr); });
    EXPECT_EQ(h.hipEventDestroy(start), hipSuccess);
    EXPECT_EQ(h.hipEventDestroy(stop), hipSuccess);
}

TEST_F(Commands, AsynchronousCallsAreCommandsOfTheirStream) {
    const auto& h = hip();
    auto* bytes = static_cast<char*>(memory_);
    const auto device = static_cast<hipMemcpyKind>(3), any = static_cast<hipMemcpyKind>(4);
    on_stream("copy", [&] { return h.hipMemcpyAsync(bytes, bytes + 32, 16, any, stream_); });
    on_stream("to device", [&] { return h.hipMemcpyHtoDAsync(memory_, host_, kBytes, stream_); });
    on_stream("from device", [&] { return h.hipMemcpyDtoHAsync(host_, memory_, kBytes, stream_); });
    on_stream("on device", [&] { return h.hipMemcpyDtoDAsync(bytes, bytes + 32, 16, stream_); });
    on_stream("2D", [&] { return h.hipMemcpy2DAsync(bytes, 8, bytes + 32, 8, 4, 2, device, stream_); });
    on_stream("and waits", [&] { return h.hipMemcpyWithStream(host_, bytes, 16, hipMemcpyDeviceToHost, stream_); });
    on_stream("fill", [&] { return h.hipMemsetAsync(bytes, 1, kBytes, stream_); });
    on_stream("fill 8", [&] { return h.hipMemsetD8Async(bytes, 1, kBytes, stream_); });
    on_stream("fill 16", [&] { return h.hipMemsetD16Async(bytes, 1, kBytes / 2, stream_); });
    on_stream("fill 32", [&] { return h.hipMemsetD32Async(bytes, 1, kBytes / 4, stream_); });
    const auto nothing = +[](void*) {};
    on_stream("host function", [&] { return h.hipLaunchHostFunc(stream_, reinterpret_cast<void*>(nothing), nullptr); });
    if (gates() && !is_set("FAKE_HIP_CP_WAIT"))
        on_stream("write value", [&] { return h.hipStreamWriteValue32(stream_, memory_, 5, 0); });
    void* made = nullptr;
    on_stream("alloc", [&] { return h.hipMallocAsync(&made, 16, stream_); });
    EXPECT_NE(made, nullptr) << "the pointer is there when the call returns";
    on_stream("free", [&] { return h.hipFreeAsync(made, stream_); });
    EXPECT_EQ(h.hipStreamSynchronize(stream_), hipSuccess);
}

TEST_F(Commands, SynchronousCallsAreCommandsOfTheNullStream) {
    const auto& h = hip();
    on_null("copy", [&] { return h.hipMemcpy(memory_, host_, kBytes, static_cast<hipMemcpyKind>(1)); });
    on_null("to device", [&] { return h.hipMemcpyHtoD(memory_, host_, kBytes); });
    on_null("from device", [&] { return h.hipMemcpyDtoH(host_, memory_, kBytes); });
    on_null("on device", [&] { return h.hipMemcpyDtoD(memory_, static_cast<char*>(memory_) + 32, 16); });
    on_null("fill", [&] { return h.hipMemset(memory_, 1, kBytes); });
    on_null("fill 32", [&] { return h.hipMemsetD32(memory_, 1, kBytes / 4); });
    on_null("from device", [&] { return h.hipMemcpy(host_, memory_, kBytes, hipMemcpyDeviceToHost); });
    EXPECT_TRUE(eventually([&] { return state_of(null_) == kQueueStateIdle; }));
}

TEST_F(Commands, ThePerThreadFormsMeanTheThreadsOwnStream) {
    const auto& h = hip();
    const XQueueHandle own = used_xqueue_of(kPerThread);
    expect_command(own, "kernel", [&] { return h.hipLaunchKernel_spt(&host_noop_, kOne, kOne, nullptr, 0, nullptr); });
    expect_command(own, "fill", [&] { return h.hipMemsetAsync_spt(memory_, 1, kBytes, nullptr); });
    expect_command(own, "copy", [&] { return h.hipMemcpy_spt(memory_, host_, kBytes, static_cast<hipMemcpyKind>(1)); });
    on_null("kernel", [&] { return h.hipLaunchKernel_spt(&host_noop_, kOne, kOne, nullptr, 0, kLegacy); });
    on_stream("kernel", [&] { return h.hipLaunchKernel_spt(&host_noop_, kOne, kOne, nullptr, 0, stream_); });
}

TEST_F(Commands, AGraphIsOneCommand) {
    hipGraph_t graph = nullptr;
    hipGraphExec_t executable = nullptr;
    ASSERT_EQ(hip().hipStreamBeginCapture(stream_, 0), hipSuccess);
    for (uint32_t i = 0; i < 3; ++i) ASSERT_EQ(append(stream_, i), hipSuccess);
    ASSERT_EQ(hip().hipStreamEndCapture(stream_, &graph), hipSuccess);
    ASSERT_EQ(hip().hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
    on_stream("graph", [&] { return hip().hipGraphLaunch(executable, stream_); });
    ASSERT_EQ(hip().hipStreamSynchronize(stream_), hipSuccess);
    EXPECT_EQ(word(), 31u + 2u);
    EXPECT_EQ(hip().hipGraphExecDestroy(executable), hipSuccess);
    EXPECT_EQ(hip().hipGraphDestroy(graph), hipSuccess);
}

TEST_F(Commands, AFailedCallKeepsItsErrorAndHurtsNothing) {
    EXPECT_NE(hip().hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, nullptr), hipSuccess);
    expect_works(xqueue_, stream_);
}

#include "platform/stream/shim/suspended_stream_tests.h"

// As PyTorch does: everything on the NULL stream, and results fetched by a copy that waits.
TEST_F(Commands, ACopyThatWaitsWaitsForASuspendedNullStream) {
    expect_copy_waits(null_, [this](uint32_t* seen) {
        return hip().hipMemcpyWithStream(seen, device_word_, sizeof *seen, hipMemcpyDeviceToHost, nullptr);
    });
}

}  // namespace
}  // namespace xsched::test
