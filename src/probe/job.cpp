// The main job: two programs share the device, one of them urgent. Both are this program again.
#include <algorithm>
#include <cstdlib>

#include "loops.h"
#include "probe/program.h"
#include "probe/trial.h"

namespace xsched::probe {
namespace {

constexpr double kUrgentKernelMs = 0.1, kVictimKernelMs = 5;
constexpr const char* kPriority = "XSCHED_AUTO_XQUEUE_PRIORITY";

busy::Arguments arguments_of(const Settings& settings, double kernel_ms) {
    busy::Arguments arguments;
    arguments.seconds = settings.seconds;
    arguments.kernel_ms = kernel_ms;
    arguments.burst_kernels = 10;
    arguments.pause_ms = 12;
    arguments.pause_max_ms = 18;
    arguments.depth = 16;
    arguments.steps = std::max(static_cast<uint32_t>(settings.steps_per_ms * kernel_ms), 1U);
    return arguments;
}

}  // namespace

Json urgent_found(const Settings& settings) {
    setenv(kPriority, "10", 1);
    Program urgent("urgent", settings);
    unsetenv(kPriority);
    return urgent.found("the urgent program");
}

Json run_urgent(const Settings& settings) {
    busy::BusyDevice device("");
    const busy::Rows rows = busy::run_bursts(device, arguments_of(settings, kUrgentKernelMs), busy::say_ready);
    std::string latencies;  // latencies as a text, so that the saved file keeps them on one line
    for (const auto& row : rows) latencies += (latencies.empty() ? "" : " ") + std::to_string(row[1] / 1000);
    return {{"latency_us", latencies}, {"exact", device.state_is_right()}};
}

// Runs the victim's program until standard input ends.
Json run_victim(const Settings& settings) {
    busy::BusyDevice device("");
    busy::Arguments arguments = arguments_of(settings, kVictimKernelMs);
    arguments.seconds = 3600;
    arguments.until_eof = true;
    const int64_t begin = busy::now_ns();
    const busy::Rows rows = busy::keep_full(device, arguments, busy::until_end(arguments), busy::say_ready);
    const double seconds = static_cast<double>(busy::now_ns() - begin) / 1e9;
    return {{"kernels_per_s", static_cast<double>(rows.size()) / seconds}, {"exact", device.state_is_right()}};
}

// Tries the main job. --way alone: without the victim.
Json try_job(const Settings& settings) {
    if (settings.way == "alone") {
        doing("running the urgent program alone");
        return {{"urgent", urgent_found(settings)}};
    }
    doing("starting the program that keeps the device full");
    Program victim("victim", settings);
    victim.wait_until_ready("the program that keeps the device full");
    doing("running the urgent program beside it");
    const Json urgent = urgent_found(settings);
    doing("ending the program that keeps the device full");
    return {{"urgent", urgent}, {"victim", victim.found("the program that keeps the device full")}};
}

}  // namespace xsched::probe
