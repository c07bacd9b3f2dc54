// An OpenCL program that forks while another of its threads is making the first queue, with the shim preloaded: that
// thread waits for a server that does not answer, and holds what the child needs for its own queue. At that moment no
// thread is inside the driver, whose locks a child would find held for ever, without the shim as well.
// Exit status 0: the child made a queue and used it.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "platform/opencl/shim/one_device.h"
#include "support/child.h"
#include "support/directory.h"
#include "support/listener.h"

namespace {

constexpr unsigned kBoundSeconds = 30;

cl_int fill(cl_command_queue queue, cl_mem buffer) {
    const cl_int value = 1;
    return clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, sizeof value, 0, nullptr, nullptr);
}

}  // namespace

int main() {
    alarm(2 * kBoundSeconds);
    const xsched::test::TemporaryDirectory directory;
    const std::string path = directory / "socket";
    const int server = xsched::test::listen_on(path);  // accepts connections and never says anything
    if (server < 0) return 2;
    setenv("XSCHED_SCHEDULER", "global", 1);
    setenv("XSCHED_SOCKET", path.c_str(), 1);

    const OneDevice one;
    if (!one.good()) return 2;
    cl_command_queue queue = nullptr;
    std::thread first([&] { queue = one.make_queue(); });
    const int client = accept(server, nullptr, nullptr);  // it asks: now it waits for the answer
    const auto child = [&] { return fill(one.make_queue(), one.buffer) == CL_SUCCESS ? 0 : 1; };
    const int status = xsched::test::in_child(child, kBoundSeconds);
    first.join();
    if (fill(queue, one.buffer) != CL_SUCCESS || clFinish(queue) != CL_SUCCESS) return 1;
    clReleaseMemObject(one.buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(one.context);
    close(client);
    close(server);
    if (status >= 1000) std::printf("the child hung: signal %d\n", status - 1000);
    return status == 0 ? 0 : 1;
}
