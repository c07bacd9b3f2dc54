// The urgent and the other side of the main job as two streams of one process: bursts on a stream of the highest
// priority and, on a thread and a stream of the lowest, long kernels without end. An ordinary program.
//
//   pair --out FILE --lp-out FILE --steps 250 --lp-steps 15000   rows as hp and lp write them
//
// Without --lp-steps the bursts are alone. Exit status 1 if a result is wrong or the driver fails.
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "loops.h"

namespace {

struct LowSide {
    std::atomic<bool> full{false};
    std::atomic<bool> stop{false};
    std::string complaint;

    void run(busy::Arguments arguments) {
        try {
            busy::BusyDevice device("low");
            arguments.steps = arguments.lp_steps;
            busy::write_rows(arguments.lp_out,
                             busy::keep_full(device, arguments, [this] { return !stop; }, [this] { full = true; }));
            if (!device.state_is_right()) complaint = "the low-priority stream's result is wrong";
        } catch (const std::exception& error) {
            complaint = error.what();
        }
        full = true;  // no thread waits for a side that has failed
    }
};

// Runs the high-priority program of the pair. Returns what went wrong; empty: nothing.
std::string run_high(busy::BusyDevice& device, const busy::Arguments& arguments) {
    try {
        busy::write_rows(arguments.out, busy::run_bursts(device, arguments, busy::say_ready));
        return device.state_is_right() ? "" : "the high-priority stream's result is wrong";
    } catch (const std::exception& error) {
        return error.what();
    }
}

int run(const busy::Arguments& arguments) {
    busy::BusyDevice device("high");
    LowSide low;
    std::thread thread;
    if (arguments.lp_steps > 0) {
        thread = std::thread([&] { low.run(arguments); });
        while (!low.full) std::this_thread::yield();
    }
    const std::string complaint = run_high(device, arguments);
    low.stop = true;
    if (thread.joinable()) thread.join();
    for (const std::string& said : {complaint, low.complaint})
        if (!said.empty()) fprintf(stderr, "pair: %s\n", said.c_str());
    return complaint.empty() && low.complaint.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("pair", argc, argv, run); }
