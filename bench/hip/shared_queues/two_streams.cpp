// Two streams of one process with the same tasks, one more urgent than the other, as in examples/3_intra_process_sched:
// a program of the driver's alone, for the HIP runtime's stand-ins as well. Runners start it with the shim preloaded.
//
//   two_streams TASKS LEVEL   tasks of the urgent stream, the other works as long; LEVEL: both queues' preempt level,
//                             0: as it comes
//
// Prints the mean task of the urgent stream and of the other one in milliseconds, and how many times the former the
// latter is. Exit status 1 if the driver fails.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stream_work.h"

namespace {

using namespace busy;

constexpr int kKernels = 30;
constexpr double kKernelMs = 1;
constexpr std::chrono::milliseconds kPause{10};

double mean(const std::vector<double>& values) {
    if (values.empty()) throw std::runtime_error("a stream ended no task");
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int run(int tasks, int level) {
    vendor::use_device();
    const vendor::Stream low_stream = vendor::make_stream(), high_stream = vendor::make_stream();
    StreamWork high(high_stream);
    const uint32_t steps = high.steps_for(kKernelMs);
    std::atomic<bool> stop{false}, busy_now{false};
    std::vector<double> low_ms, high_ms;
    std::thread low([&] {
        vendor::use_device();
        StreamWork work(low_stream);
        work.run(1, 1);
        set_queue(low_stream, 1, level);
        for (busy_now = true; !stop;) {
            const double ms = work.run(kKernels, steps);
            if (!stop) low_ms.push_back(ms);  // else it had the device for itself at its end
        }
    });
    set_queue(high_stream, 2, level);
    while (!busy_now) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < tasks; ++i) {
        high_ms.push_back(high.run(kKernels, steps));
        if (i + 1 < tasks) std::this_thread::sleep_for(kPause);
    }
    stop = true;
    low.join();
    printf("%.3f %.3f %.3f\n", mean(high_ms), mean(low_ms), mean(low_ms) / mean(high_ms));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::runtime_error("usage: two_streams TASKS LEVEL");
        return run(std::atoi(argv[1]), std::atoi(argv[2]));
    } catch (const std::exception& error) {
        fprintf(stderr, "two_streams: %s\n", error.what());
        return 1;
    }
}
