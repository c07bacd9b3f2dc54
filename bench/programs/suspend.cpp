// How soon a suspended queue stands still. It keeps the device full as lp does. A second thread suspends and resumes
// its own XQueue at random times, and a third one sees the kernels complete. Run it under XSched with
// XSCHED_SCHEDULER=app. All that it needs of XSched is the C interface, found at run time.
//
//   suspend --out FILE --lp-out FILE --steps 15000 --hold-ms 20   per suspension: begin of the call, its end, begin of
//                                                      the resumption (CLOCK_MONOTONIC ns); per kernel as lp writes it
//
// Between two suspensions --pause-ms to --pause-max-ms pass. Exit status 1 if a result is wrong or something fails.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "loops.h"
#include "own_queue.h"
#include "watcher.h"

namespace {

using busy::BusyDevice;
using busy::OwnQueue;
using busy::Watcher;

void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

// The suspending thread; `complaint` is what went wrong.
void disturb(void* queue, const busy::Arguments& arguments, std::atomic<bool>& stop, busy::Rows& rows,
             std::string& complaint) {
    try {
        OwnQueue own(queue);
        std::mt19937 random(arguments.seed);
        std::uniform_real_distribution<double> pause(arguments.pause_ms,
                                                     std::max(arguments.pause_ms, arguments.pause_max_ms));
        const int64_t end = busy::now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
        while (busy::now_ns() < end) {
            sleep_ms(pause(random));
            const int64_t begin = busy::now_ns();
            own.suspend();
            const int64_t suspended = busy::now_ns();
            sleep_ms(arguments.hold_ms);
            rows.push_back({begin, suspended, busy::now_ns()});
            own.resume();
        }
    } catch (const std::exception& error) {
        complaint = error.what();
    }
    stop = true;
}

int run(busy::Arguments arguments) {
    BusyDevice device(arguments.stream);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    std::atomic<bool> stop{false};
    std::string complaint;
    busy::Rows suspensions, kernels;
    {
        Watcher watcher(device, static_cast<size_t>(arguments.depth));
        busy::say_ready();
        std::jthread thread(disturb, device.queue(), std::cref(arguments), std::ref(stop), std::ref(suspensions),
                            std::ref(complaint));
        while (!stop) {
            watcher.make_room();
            BusyDevice::Event event{};
            device.enqueue(arguments.steps, &event);
            watcher.add(event);
        }
        thread.join();
        kernels = watcher.finish();
    }
    busy::write_rows(arguments.out, suspensions);
    busy::write_rows(arguments.lp_out, kernels);
    if (complaint.empty() && !device.state_is_right())
        complaint = "the device's result is wrong: a kernel was lost, repeated or run out of order";
    if (!complaint.empty()) fprintf(stderr, "suspend: %s\n", complaint.c_str());
    return complaint.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("suspend", argc, argv, run); }
