#include "sim/results.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xsched::sim {
namespace {

double to_us(int64_t ns) { return static_cast<double>(ns) / 1e3; }

double to_gib(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

ProgramReport report_of(Program& program, int64_t now_ns, double simulated_ns) {
    const ProgramResults& results = program.results();
    ProgramReport report;
    report.name = program.spec().name;
    report.latency = Latency(results.latency_ns);
    report.bursts = results.bursts;
    report.kernels_per_s = static_cast<double>(results.kernels) / simulated_ns * 1e9;
    report.share = static_cast<double>(program.process().context().used_ns) / simulated_ns;
    report.interrupts = program.process().interrupts();
    for (const auto& queue : program.process().queues()) report.meter.join(queue->meter_error());
    report.memory = program.process().memory().results(now_ns);
    report.on_card_gib = to_gib(program.process().memory().on_card());
    report.on_host_gib = to_gib(program.process().memory().on_host());
    report.says = program.process().says();
    return report;
}

}  // namespace

Latency::Latency(std::vector<int64_t> latency_ns) : sorted_ns_(std::move(latency_ns)) {
    std::sort(sorted_ns_.begin(), sorted_ns_.end());
}

double Latency::quantile_us(double part) const {
    if (sorted_ns_.empty()) return 0;
    const auto last = static_cast<double>(sorted_ns_.size() - 1);
    return to_us(sorted_ns_[static_cast<size_t>(std::llround(part * last))]);
}

Report run_workload(Workload workload, const std::string& policy, bool native, Observer* observer,
                    ipc::Recording* recording) {
    if (!policy.empty()) workload.policy = policy;
    World world(workload, native ? Scheduling::kNative : Scheduling::kServer, observer);
    if (recording != nullptr) world.record_into(*recording);
    world.run_until(world.begin_ns() + workload.duration_ns);
    if (recording != nullptr) world.end_recording();
    Report report;
    const auto simulated_ns = static_cast<double>(workload.duration_ns);
    report.title = native ? "native" : workload.policy;
    report.simulated_s = simulated_ns / 1e9;
    report.ended_ns = world.now_ns();
    report.events = world.events();
    if (Server* server = world.server()) {
        report.passes = server->passes();
        report.decisions = server->decisions();
        report.hash = server->decisions_hash();
        if (server->thrown_out() != nullptr) report.thrown_out = server->thrown_out();
    }
    for (const auto& program : world.programs())
        report.programs.push_back(report_of(*program, world.now_ns(), simulated_ns));
    for (const auto& device : world.devices()) {
        report.devices.push_back({.busy = static_cast<double>(device->busy_ns()) / simulated_ns,
                                  .switching = static_cast<double>(device->switching_ns()) / simulated_ns,
                                  .switches = device->switches(),
                                  .most_used_gib = to_gib(world.cards()[report.devices.size()].most_used())});
    }
    for (const auto& program : world.programs())
        report.devices[program->spec().device].memory_moving +=
            static_cast<double>(program->process().memory().results(0).moving_ns) / simulated_ns;
    return report;
}

}  // namespace xsched::sim
