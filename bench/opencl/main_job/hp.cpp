// The high-priority program of the main job: a burst of short kernels at regular times, like a server that answers
// requests. An ordinary OpenCL program.
//
//   hp --out FILE     per burst: start (CLOCK_MONOTONIC ns), latency (ns), first kernel's wait to start (ns)
//   hp --calibrate 1  prints the --steps with which a kernel takes --kernel-ms, and the device
//
// Prints "ready" once measuring begins. Exit status 1 if a result is wrong or OpenCL fails.
#include <ctime>

#include <cstdio>
#include <exception>

#include "busy_device.h"

namespace {

constexpr int kWarmUpBursts = 3;

void sleep_until(int64_t time_ns) {
    const timespec ts{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr) == EINTR) {
    }
}

// One burst; returns its row of the measurements.
std::vector<int64_t> burst(busy::BusyDevice& device, const busy::Arguments& arguments) {
    cl_event first = nullptr;
    const int64_t begin = busy::now_ns();
    for (long i = 0; i < arguments.burst_kernels; ++i) {
        device.enqueue(arguments.steps, i == 0 ? &first : nullptr);
        if (arguments.sync_every > 0 && (i + 1) % arguments.sync_every == 0) device.finish();
    }
    device.finish();
    const int64_t end = busy::now_ns();
    const int64_t waited = busy::queued_to_start_ns(first);
    busy::wait_and_release(first);
    return {begin, end - begin, waited};
}

int run(busy::Arguments arguments) {
    busy::BusyDevice device(arguments.device);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    if (arguments.calibrate) {
        printf("%u %s\n", arguments.steps, device.description().c_str());
        return 0;
    }
    for (int i = 0; i < kWarmUpBursts; ++i) burst(device, arguments);
    printf("ready\n");
    fflush(stdout);

    std::vector<std::vector<int64_t>> rows;
    const auto period = static_cast<int64_t>(arguments.period_ms * 1e6);
    const int64_t begin = busy::now_ns();
    const int64_t end = begin + static_cast<int64_t>(arguments.seconds * 1e9);
    int64_t next = begin;
    while (arguments.bursts > 0 ? static_cast<long>(rows.size()) < arguments.bursts : next < end) {
        sleep_until(next);
        rows.push_back(burst(device, arguments));
        next = std::max(next + period, busy::now_ns());
    }
    busy::write_rows(arguments.out, rows);
    if (!device.state_is_right()) {
        fprintf(stderr, "hp: the device's result is wrong: a kernel was lost, repeated or run out of order\n");
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(busy::parse_arguments(argc, argv));
    } catch (const std::exception& error) {
        fprintf(stderr, "hp: %s\n", error.what());
        return 1;
    }
}
