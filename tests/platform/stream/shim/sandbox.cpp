// A program that gives up its rights between making a context or a stream and its first command: what needs them was
// done by then. The kernel ends the whole program at the first call that is too late. Compiled against order/hip it is
// a HIP program.
#include "support/sandbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"
#include "support/child.h"
#include "support/directory.h"
#include "support/small_server.h"

namespace {

using cuda::api;
using namespace xsched::test;

constexpr int kNoSandbox = 77;
constexpr uint32_t kCommands = 200;
// Past the moment at which a queue tries its gate again, a second after its first use, and past a server's end.
constexpr uint32_t kCommandsOfLong = 800;
constexpr uint32_t kBetweenUs = 2000;  // of these

bool stays_long() { return getenv("FAKE_CUDA_BUSY_MS") != nullptr || getenv("TEST_STAYS_LONG") != nullptr; }

// Exit status: 0, 1 (the driver failed), 3 (a wrong result), 77 (there is no sandbox here).
int guest(bool default_stream) {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction append = nullptr;
    CUstream stream = nullptr;
    void* memory = nullptr;
    CUdeviceptr address = 0;
    if (!cuda::available() || api().cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        api().cuCtxPushCurrent_v2(context) != CUDA_SUCCESS ||
        api().cuModuleLoadData(&module, cuda::kKernels) != CUDA_SUCCESS ||
        api().cuModuleGetFunction(&append, module, "append") != CUDA_SUCCESS ||
        api().cuMemHostAlloc(&memory, 64, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
        api().cuMemHostGetDevicePointer_v2(&address, memory, 0) != CUDA_SUCCESS)
        return 1;
    if (!default_stream && api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
        return 1;
    auto& word = *static_cast<volatile uint32_t*>(memory);
    word = 0;
    if (!enter_sandbox()) return kNoSandbox;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < (stays_long() ? kCommandsOfLong : kCommands); ++i) {
        if (stays_long()) usleep(kBetweenUs);
        uint32_t count = 1;
        void* arguments[] = {&address, &i, &count};
        if (api().cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr) != CUDA_SUCCESS) return 1;
        expected = expected * 31 + i;
        if (i % 20 == 0) usleep(5000);  // the scheduler's wishes have time to come
        if (i % 10 == 0 && api().cuStreamSynchronize(stream) != CUDA_SUCCESS) return 1;
    }
    if (api().cuStreamSynchronize(stream) != CUDA_SUCCESS) return 1;
    return word == expected ? 0 : 3;
}

class Sandbox : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Streams, Sandbox, testing::Values("made", "default"),
                         [](const auto& stream) { return std::string(stream.param); });

TEST_P(Sandbox, NothingThatNeedsRightsComesLater) {
    const TemporaryDirectory directory;
    const std::string path = directory / "socket";
    setenv("XSCHED_SCHEDULER", "global", 1);
    setenv("XSCHED_SOCKET", path.c_str(), 1);
    EarlyChild child([&] { return guest(std::string(GetParam()) == "default"); });
    SmallServer server(path);
    std::atomic<bool> ended{false};
    std::atomic<bool> came{false};
    // It wants all that it can of the program: reports, gates, and that it keeps its device.
    std::thread wishes([&] {
        came = server.wait_for_client();
        for (bool suspend = false; came && !ended; suspend = !suspend) {
            xsched::ipc::Header& header = server.region().header;
            header.watching = 1;
            header.keep_alive_wanted = 1;
            for (xsched::ipc::QueueSlot& slot : server.region().slots) {
                ++slot.warm;
                slot.interrupt = suspend ? 1 : 0;
            }
            server.set_suspended(suspend);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        if (came) server.set_suspended(false);
    });
    const int status = child.run();
    ended = true;
    wishes.join();
    if (status == kNoSandbox) GTEST_SKIP() << "no sandbox can be entered here";
    EXPECT_NE(status, 1000 + SIGSYS) << "something of ours came too late";
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(came);
}

TEST_P(Sandbox, ItsServerMayGo) {
    const TemporaryDirectory directory;
    const std::string path = directory / "socket";
    setenv("XSCHED_SCHEDULER", "global", 1);
    setenv("XSCHED_SOCKET", path.c_str(), 1);
    setenv("TEST_STAYS_LONG", "1", 1);
    EarlyChild child([&] { return guest(std::string(GetParam()) == "default"); });
    unsetenv("TEST_STAYS_LONG");
    auto server = std::make_unique<SmallServer>(path);
    bool came = false;
    std::thread ends([&] {
        came = server->wait_for_client();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        server.reset();
    });
    const int status = child.run();
    ends.join();
    if (status == kNoSandbox) GTEST_SKIP() << "no sandbox can be entered here";
    EXPECT_NE(status, 1000 + SIGSYS) << "another server was looked for";
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(came);
}

}  // namespace
