// The high-priority program of the main job: a burst of short kernels again and again, like a server that answers
// requests. An ordinary program, unless it announces its bursts.
//
//   hp --out FILE     per burst: start (CLOCK_MONOTONIC ns), latency (ns)
//   hp --announce-ms 1  the same, and tells XSched of each burst a millisecond ahead (needs xcli run)
//   hp --turns 4      measures four times, each once it is told to, so that other processes can take turns with it
//   hp --calibrate 1  prints the --steps with which a kernel takes --kernel-ms, and the device
//
// Prints "ready" once measuring begins. Exit status 1 if a result is wrong or the driver fails.
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>

#include "loops.h"
#include "own_queue.h"

namespace {

busy::Rows measure(busy::BusyDevice& device, const busy::Arguments& arguments,
                   const std::function<void(int64_t)>& announce) {
    if (arguments.turns == 0) return busy::run_bursts(device, arguments, busy::say_ready, announce);
    busy::Rows rows;
    const auto say_nothing = [] {};
    for (long turn = 0; turn < arguments.turns; ++turn) {
        busy::wait_for_turn();
        const busy::Rows more = busy::run_bursts(device, arguments, say_nothing, announce);
        rows.insert(rows.end(), more.begin(), more.end());
    }
    busy::wait_for_turn();
    return rows;
}

int run(busy::Arguments arguments) {
    if (arguments.wait) busy::wait_for_turn();
    busy::BusyDevice device(arguments.stream, arguments.waves);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    if (arguments.calibrate) {
        printf("%u %s\n", arguments.steps, device.description().c_str());
        return 0;
    }
    std::optional<busy::OwnQueue> queue;
    std::function<void(int64_t)> announce;
    if (arguments.announce_ms > 0)
        announce = [&](int64_t us) {
            if (!queue) queue.emplace(device.queue());  // after its first use
            queue->expect(us);
        };
    return busy::report("hp", device, arguments, measure(device, arguments, announce));
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("hp", argc, argv, run); }
