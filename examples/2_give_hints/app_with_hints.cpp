// The same program, but it tells the scheduler itself how urgent it is.
//   ./app_with_hints [PRIORITY [TASKS]]      default: 1 20
#include <chrono>
#include <thread>

#include "queue_create.h"

int main(int argc, char** argv) {
    const Priority priority = argc > 1 ? atoi(argv[1]) : 1;
    const int tasks = argc > 2 ? atoi(argv[2]) : 20;
    open_device();
    const Stream stream = make_stream();

    // xserver decides (start one with "xserver HPF", or this program with "xcli run"); without one it runs unscheduled.
    CHECK_XSCHED(XHintSetScheduler(kSchedulerGlobal, kPolicyUnknown));
    const XQueueHandle xq = make_xqueue(stream);
    CHECK_XSCHED(XHintPriority(xq, priority));
    CHECK_XSCHED(XQueueSetLaunchConfig(xq, 8, 4));  // at most 8 commands in flight, launched 4 at a time

    Work work(stream);
    for (int i = 0; i < tasks; ++i) {
        printf("Prio %d Task %d completed in %ld ms\n", priority, i, run_task(work, 60));
        fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    CHECK_XSCHED(XQueueDestroy(xq));
}
