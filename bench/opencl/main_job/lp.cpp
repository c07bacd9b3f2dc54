// The low-priority program of the main job: keeps the device full with long kernels, many of them enqueued ahead,
// like a training run. An ordinary OpenCL program.
//
//   lp --out FILE --kernel-ms 5 --depth 16   per kernel: when it was seen complete (CLOCK_MONOTONIC ns)
//
// Prints "ready" once the queue is full; runs for --seconds or, with --until-eof 1, until standard input ends.
// Exit status 1 if the result is wrong or OpenCL fails.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <exception>

#include "busy_device.h"

namespace {

bool input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0) return false;
    char byte = 0;
    return read(STDIN_FILENO, &byte, 1) <= 0;
}

int run(busy::Arguments arguments) {
    busy::BusyDevice device(arguments.device);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    std::deque<cl_event> enqueued;
    std::vector<std::vector<int64_t>> rows;
    const int64_t end = busy::now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
    bool ready = false;
    while (busy::now_ns() < end && !(arguments.until_eof && input_ended())) {
        while (static_cast<long>(enqueued.size()) < arguments.depth) {
            enqueued.emplace_back();
            device.enqueue(arguments.steps, &enqueued.back());
        }
        device.flush();
        if (!ready) {
            printf("ready\n");
            fflush(stdout);
            ready = true;
        }
        busy::wait_and_release(enqueued.front());
        enqueued.pop_front();
        rows.push_back({busy::now_ns()});
    }
    for (cl_event event : enqueued) busy::wait_and_release(event);
    busy::write_rows(arguments.out, rows);
    if (!device.state_is_right()) {
        fprintf(stderr, "lp: the device's result is wrong: a kernel was lost, repeated or run out of order\n");
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(busy::parse_arguments(argc, argv));
    } catch (const std::exception& error) {
        fprintf(stderr, "lp: %s\n", error.what());
        return 1;
    }
}
