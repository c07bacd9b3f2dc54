// Two streams of one process, one more urgent than the other: the process's own scheduler decides between them.
//   ./app_concurrent [TASKS]      default: 20 of the urgent stream; the other works as long
#include <atomic>
#include <chrono>
#include <thread>

#include "queue_create.h"

namespace {

constexpr int kKernels = 30;
std::atomic<bool> g_done{false};

struct Result {
    long total_ms = 0;
    int tasks = 0;
    double average() const { return tasks > 0 ? static_cast<double>(total_ms) / tasks : 0; }
};

// Task after task: `most` of them, or until the other stream is done.
void run(Stream stream, Priority priority, int most, std::chrono::milliseconds pause, Result* result) {
    open_device();
    Work work(stream);
    for (int i = 0; i < most && !g_done; ++i) {
        const long ms = run_task(work, kKernels);
        printf("Prio %d Task %d completed in %ld ms\n", priority, i, ms);
        fflush(stdout);
        if (g_done) break;  // it had the device for itself at its end
        result->total_ms += ms;
        ++result->tasks;
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int tasks = argc > 1 ? atoi(argv[1]) : 20;
    open_device();
    const Stream stream_1 = make_stream(), stream_2 = make_stream();

    CHECK_XSCHED(XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst));
    // Before a stream's first use: the shim gives a stream that has no XQueue by then one of its own.
    const XQueueHandle xq_1 = make_xqueue(stream_1), xq_2 = make_xqueue(stream_2);
    CHECK_XSCHED(XHintPriority(xq_1, 1));  // lower
    CHECK_XSCHED(XHintPriority(xq_2, 2));  // higher

    Result low, high;
    std::thread thread_1([&] { run(stream_1, 1, 1000000, std::chrono::milliseconds(0), &low); });
    std::thread thread_2([&] {
        run(stream_2, 2, tasks, std::chrono::milliseconds(10), &high);
        g_done = true;
    });
    thread_2.join();
    thread_1.join();
    printf("Prio 2: %.1f ms on average, Prio 1: %.1f ms, ratio %.2f\n", high.average(), low.average(),
           high.average() > 0 ? low.average() / high.average() : 0);
    CHECK_XSCHED(XQueueDestroy(xq_1));
    CHECK_XSCHED(XQueueDestroy(xq_2));
}
