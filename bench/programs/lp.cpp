// The low-priority program of the main job: keeps the device full with long kernels, many of them enqueued ahead,
// like a training run. An ordinary program.
//
//   lp --out FILE --kernel-ms 5 --depth 16   per kernel: when it was seen complete (CLOCK_MONOTONIC ns);
//                                            with --stream timed (OpenCL), also how long it ran on the device
//
// Prints "ready" once the queue is full; runs for --seconds or, with --until-eof 1, until standard input ends.
// Exit status 1 if the result is wrong or the driver fails.
#include <cstdio>
#include <exception>

#include "loops.h"

namespace {

int run(busy::Arguments arguments) {
    busy::BusyDevice device(arguments.stream, arguments.waves);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    const busy::Rows rows = busy::keep_full(device, arguments, busy::until_end(arguments), busy::say_ready);
    busy::write_rows(arguments.out, rows);
    if (!device.state_is_right()) {
        fprintf(stderr, "lp: the device's result is wrong: a kernel was lost, repeated or run out of order\n");
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("lp", argc, argv, run); }
