// A program that gives up its rights between making a command queue and its first command: what needs them was done by
// then. The kernel ends the whole program at the first call that is too late.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "support/sandbox.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "platform/opencl/shim/one_device.h"
#include "support/sandboxed_guest.h"

namespace {

using namespace xsched::test;

constexpr cl_int kCommands = 200;
constexpr cl_int kCommandsOfLong = 500;  // past a server's end
constexpr unsigned kBetweenUs = 2000;    // of these

// Exit status: 0, 1 (OpenCL failed), 3 (a wrong result), 77 (there is no sandbox here).
int guest() {
    const OneDevice one;
    if (!one.good()) return 1;
    cl_command_queue queue = one.make_queue();
    if (queue == nullptr) return 1;
    if (!enter_sandbox()) return kNoSandbox;
    const cl_int count = getenv("TEST_STAYS_LONG") != nullptr ? kCommandsOfLong : kCommands;
    for (cl_int i = 1; i <= count; ++i) {
        if (count == kCommandsOfLong) usleep(kBetweenUs);
        if (clEnqueueFillBuffer(queue, one.buffer, &i, sizeof i, 0, 64, 0, nullptr, nullptr) != CL_SUCCESS) return 1;
        if (i % 20 == 0) usleep(5000);  // the scheduler's wishes have time to come
        if (i % 10 == 0 && clFinish(queue) != CL_SUCCESS) return 1;
    }
    cl_int value = 0;
    if (clEnqueueReadBuffer(queue, one.buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr) != CL_SUCCESS)
        return 1;
    return value == count ? 0 : 3;
}

TEST(Sandbox, NothingThatNeedsRightsComesLater) {
    expect_nothing_comes_late(guest, [](SmallServer&, bool) {});
}
TEST(Sandbox, ItsServerMayGo) { expect_its_server_may_go(guest); }

}  // namespace
