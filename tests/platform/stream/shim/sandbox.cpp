// A program that gives up its rights between making a context or a stream and its first command: what needs them was
// done by then. The kernel ends the whole program at the first call that is too late. Compiled against order/hip it is
// a HIP program.
#include "support/sandbox.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"
#include "support/sandboxed_guest.h"

namespace {

using cuda::api;
using namespace xsched::test;

constexpr uint32_t kCommands = 200;
// Number of commands that last beyond the moment at which a queue tries its gate again (a second after its first
// use), and beyond the end of a server.
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

int guest_of(const char* streams) { return guest(std::string(streams) == "default"); }

TEST_P(Sandbox, NothingThatNeedsRightsComesLater) {
    // The server asks the program for all that an agent can do (reports, gates, keep-alives), before and after the
    // sandbox is closed. None of it may need a right that is gone by then.
    expect_nothing_comes_late([] { return guest_of(GetParam()); },
                              [](SmallServer& server, bool suspend) {
                                  server.region().header.keep_alive_wanted = 1;
                                  for (xsched::ipc::QueueSlot& slot : server.region().slots) {
                                      ++slot.warm;
                                      slot.interrupt = suspend ? 1 : 0;
                                  }
                              });
}
TEST_P(Sandbox, ItsServerMayGo) {
    expect_its_server_may_go([] { return guest_of(GetParam()); });
}

}  // namespace
