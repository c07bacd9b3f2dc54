// A program that ends while a thread suspends and resumes its stream, as xserver's orders may come at any time. Needs
// the shim, XSCHED_SCHEDULER=app, and a driver that gives the thread time for each page that the runtime frees
// (KFD_EMULATOR_UNMAP_US).
//   ending CODE
#include <thread>

#include "worker.h"

namespace {

void run(const char* code) {
    CHECK(hipSetDevice(0));
    hipFunction_t spin = program::kernel(code);
    hipStream_t stream = nullptr;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    unsigned long ns = 0;
    unsigned long* nowhere = nullptr;
    void* arguments[] = {&ns, &nowhere};
    const auto launch = [&] { CHECK(hipModuleLaunchKernel(spin, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr)); };
    launch();
    const uint64_t queue = program::queue_of(stream);
    program::set_level(queue, 2);
    program::suspend(queue);
    launch();  // behind a gate
    std::thread([queue] {
        for (;;) {
            program::resume(queue);
            program::suspend(queue);
        }
    }).detach();
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 2;
    return program::status_of("ending", [&] { run(words[1]); });
}
