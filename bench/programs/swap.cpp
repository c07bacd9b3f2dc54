// A program that changes its ways: bursts with pauses, like hp, or kernels without end, like lp; the other way round
// after each line of standard input, and over at its end. An ordinary program.
//
//   swap --out FILE --burst-kernels 100 --pause-ms 15    begins with bursts; --turns 1: without pauses
//
// A row for each burst (start, latency) and each kernel of the other kind (when it was seen complete, 0), in ns of
// CLOCK_MONOTONIC. Prints "ready" once it runs. Exit status 1 if the result is wrong or the driver fails.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include "loops.h"

namespace {

// Reads standard input as it comes: tells how many lines have come since the last look, and whether it has ended.
class Input {
public:
    bool ended() { return look() && ended_; }
    // Once for each line.
    bool took_line() {
        look();
        if (lines_ == 0) return false;
        --lines_;
        return true;
    }
    bool has_news() { return look() && (ended_ || lines_ > 0); }

private:
    bool look() {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        char byte = 0;
        while (!ended_ && poll(&input, 1, 0) > 0) {
            if (read(STDIN_FILENO, &byte, 1) <= 0)
                ended_ = true;
            else
                lines_ += byte == '\n' ? 1 : 0;
        }
        return true;
    }

    bool ended_ = false;
    long lines_ = 0;
};

void pause_ms(double ms) {
    const auto ns = static_cast<int64_t>(ms * 1e6);
    const timespec pause{ns / 1'000'000'000, ns % 1'000'000'000};
    nanosleep(&pause, nullptr);
}

int run(busy::Arguments arguments) {
    busy::BusyDevice device(arguments.stream);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    busy::Arguments long_kernels = arguments;
    if (arguments.lp_steps != 0) long_kernels.steps = arguments.lp_steps;
    std::mt19937 random(arguments.seed);
    std::uniform_real_distribution<double> pause(arguments.pause_ms,
                                                 std::max(arguments.pause_ms, arguments.pause_max_ms));
    Input input;
    busy::Rows rows;
    bool bursts = arguments.turns == 0;
    device.enqueue(arguments.steps);
    device.finish();
    busy::say_ready();
    while (!input.ended()) {
        if (bursts) {
            rows.push_back(busy::run_burst(device, arguments));
            pause_ms(pause(random));
        } else {
            for (const auto& row : busy::keep_full(device, long_kernels, [&input] { return !input.has_news(); }, [] {}))
                rows.push_back({row.front(), 0});
        }
        if (input.took_line()) bursts = !bursts;
    }
    return busy::report("swap", device, arguments, rows);
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("swap", argc, argv, run); }
