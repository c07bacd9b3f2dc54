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
    return busy::report("lp", device, arguments,
                        busy::keep_full(device, arguments, busy::until_end(arguments), busy::say_ready));
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("lp", argc, argv, run); }
