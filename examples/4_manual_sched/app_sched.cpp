// Two streams of one process, and no scheduler: the urgent side suspends the other one's XQueue while it works.
//   ./app_sched [TASKS]      default: 20 of the urgent stream; the other works as long
#include <atomic>
#include <chrono>
#include <thread>

#include "queue_create.h"

namespace {

constexpr int kKernels = 30;
std::atomic<bool> g_done{false};

void run_low(Stream stream) {
    open_device();
    Work work(stream);
    for (int i = 0; !g_done; ++i) {
        printf("low  prio Task %d completed in %ld ms\n", i, run_task(work, kKernels));
        fflush(stdout);
    }
}

void run_high(Stream stream, int tasks, XQueueHandle low) {
    open_device();
    Work work(stream);
    for (int i = 0; i < tasks; ++i) {
        const double begin = now_ms();
        // Flags say what to wait for; without any this returns at once, and what is on the device ends by itself.
        CHECK_XSCHED(XQueueSuspend(low, kQueueSuspendFlagNone));
        run_task(work, kKernels);
        CHECK_XSCHED(XQueueResume(low, kQueueResumeFlagNone));
        printf("high prio Task %d completed in %ld ms\n", i, static_cast<long>(now_ms() - begin + 0.5));
        fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    g_done = true;
}

}  // namespace

int main(int argc, char** argv) {
    const int tasks = argc > 1 ? atoi(argv[1]) : 20;
    open_device();
    const Stream low_stream = make_stream(), high_stream = make_stream();

    // No scheduler decides but this program; the same as XSCHED_SCHEDULER=APP.
    CHECK_XSCHED(XHintSetScheduler(kSchedulerAppManaged, kPolicyUnknown));
    const XQueueHandle low = make_xqueue(low_stream);

    std::thread low_thread([&] { run_low(low_stream); });
    std::thread high_thread([&] { run_high(high_stream, tasks, low); });
    high_thread.join();
    low_thread.join();
    CHECK_XSCHED(XQueueDestroy(low));
}
