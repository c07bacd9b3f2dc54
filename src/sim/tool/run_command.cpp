// xsim run, xsim compare.
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "base/clock.h"
#include "console/fold.h"
#include "host/device_costs.h"
#include "policy/policy.h"
#include "sim/perfetto_trace.h"
#include "sim/replay.h"
#include "sim/results.h"
#include "sim/tool/commands.h"
#include "sim/tool/report_text.h"
#include "sim/workload_file.h"

namespace xsched::sim::tool {
namespace {

std::vector<std::string> chosen(const RunWords& words, const Workload& workload) {
    if (words.policies == std::vector<std::string>{"all"}) {
        std::vector<std::string> all;
        for (const policy::PolicyInfo& info : policy::policies()) all.emplace_back(info.name);
        return all;
    }
    if (words.policies.empty() && !words.native) return {workload.policy};
    return words.policies;
}

// Replaces costs by those in the file. Costs that the file lacks stay.
void take_costs(const std::string& path, DeviceCosts& costs) {
    host::DeviceCosts measured;
    if (const std::string why = host::read_device_costs(path, measured); !why.empty()) throw std::runtime_error(why);
    if (measured.us.empty())
        throw std::runtime_error(path + " has no costs of a device: xcli doctor --run writes such a file");
    const auto take = [&](const char* name, int64_t& cost) {
        if (const auto found = measured.us.find(name); found != measured.us.end())
            cost = std::llround(found->second * 1e3);
    };
#define XSIM_COST(name, microseconds, what) take(#name, costs.name);
#include "sim/costs.def"
#undef XSIM_COST
}

void say_speed(const Report& report, int64_t took_ns) {
    const double seconds = static_cast<double>(took_ns) / 1e9;
    console::print_error(
        "%s: %llu events and %llu scheduler passes in %.3f s: %.2f million events/s, %.0f x real time\n",
        report.title.c_str(), static_cast<unsigned long long>(report.events),
        static_cast<unsigned long long>(report.passes), seconds, static_cast<double>(report.events) / seconds / 1e6,
        report.simulated_s / seconds);
}

Workload replayed(const std::string& file) {
    const ipc::Recording recording = read_recording_file(file);
    Workload workload = replay_workload(recording);
    for (const std::string& program : programs_left_out(recording))
        console::print_error(
            "xsim: %s is not replayed, since no work of it is recorded: it did nothing, or was not followed, as a "
            "program without a rival is under another policy than OBSERVE\n",
            program.c_str());
    return workload;
}

}  // namespace

int run_command(const RunWords& words) {
    Workload workload = words.replay ? replayed(words.file) : read_workload(words.file);
    workload.notes = !words.speed;
    workload.meters = workload.meters || words.meters;
    if (!words.device.empty()) take_costs(words.device, workload.costs);
    if (words.seed) workload.seed = *words.seed;
    if (words.duration_s) workload.duration_ns = static_cast<int64_t>(*words.duration_s * 1e9);
    if (!words.trace.empty() && words.native && !words.policies.empty())
        throw std::runtime_error("a trace is of one run: --native or --policy, not both");
    std::vector<Report> reports;
    const auto run = [&](const std::string& policy, bool native) {
        const int64_t began_ns = base::now_ns();
        std::optional<PerfettoTrace> trace;
        if (!words.trace.empty()) trace.emplace(words.trace, workload);
        ipc::Recording recording;
        const bool records = !words.record.empty() && !native;
        reports.push_back(
            run_workload(workload, policy, native, trace ? &*trace : nullptr, records ? &recording : nullptr));
        if (records) write_recording_file(words.record, recording);
        if (trace && !trace->finish(reports.back().ended_ns))
            throw std::runtime_error(words.trace + " could not be written to its end");
        if (words.speed) say_speed(reports.back(), base::now_ns() - began_ns);
    };
    if (words.native) run("", true);
    for (const std::string& policy : chosen(words, workload)) run(policy, false);
    const std::string text =
        words.json ? report_json(workload, reports).dump(2) + "\n" : report_text(workload, reports);
    fputs(text.c_str(), stdout);
    return 0;
}

}  // namespace xsched::sim::tool
