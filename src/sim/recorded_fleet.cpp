#include "sim/recorded_fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/replay.h"
#include "sim/results.h"

namespace xsched::sim {
namespace {

// Judgement: a program that has work for most of the time waits for no person; one that rests most of the time and
// whose bursts are brief does.
constexpr double kMostlyWorks = 0.8;
constexpr double kMostlyRests = 0.5;
constexpr double kBriefUs = 1e6;
// Judgement: a share that a quarter more work than the recorded would fit into, in steps of 5 %.
constexpr double kRoom = 1.25;
constexpr int kShareStep = 5;

struct Seen {
    std::set<std::pair<size_t, uint32_t>> jobs;  // the node, and the client there
    double work_ns = 0;
    double time_ns = 0;
    std::vector<int64_t> bursts_ns;
    bool endless = false;
};

void add_bursts(const ProgramSpec& spec, Seen& seen) {
    seen.endless = seen.endless || spec.replay.empty();
    for (const ReplayBurst& burst : spec.replay) {
        const int64_t work_ns = burst.kernels * burst.kernel_ns;
        seen.bursts_ns.push_back(work_ns);
        seen.work_ns += static_cast<double>(work_ns);
        seen.time_ns += static_cast<double>(work_ns + burst.gap_ns);
    }
}

const JobClass& class_of(const RecordedProgram& program) {
    if (program.works >= kMostlyWorks) return kBatchClass;
    return program.works <= kMostlyRests && program.alone_us <= kBriefUs ? kUrgentClass : kSharedClass;
}

int share_of(const RecordedProgram& program) {
    if (program.job_class == &kBatchClass) return 0;
    const int steps = static_cast<int>(std::ceil(program.works * kRoom * 100 / kShareStep));
    return std::clamp(steps * kShareStep, kShareStep, 100);
}

RecordedProgram describe(const std::string& name, const Seen& seen) {
    RecordedProgram program;
    program.name = name;
    program.jobs = seen.jobs.size();
    program.works = seen.endless ? 1 : seen.time_ns > 0 ? seen.work_ns / seen.time_ns : 0;
    if (!seen.endless) program.alone_us = Latency(seen.bursts_ns).p99_us();
    program.job_class = &class_of(program);
    program.share = share_of(program);
    return program;
}

using Programs = std::map<std::string, RecordedProgram>;

// Replays a node's day, and adds what its programs get to the figures of that index.
void replay(const Workload& day, const std::vector<std::string>& names, Programs& programs, size_t figures) {
    const Report report = run_workload(day, "", false);
    for (size_t i = 0; i < names.size(); ++i) {
        RecordedProgram& program = programs.at(names[i]);
        program.p99_us[figures] = std::max(program.p99_us[figures], report.programs[i].latency.p99_us());
        program.gpus[figures] += report.programs[i].share;
    }
}

}  // namespace

RecordedFleet answer_recorded(const std::vector<ipc::Recording>& nodes, uint64_t seed) {
    RecordedFleet fleet;
    fleet.nodes = nodes.size();
    std::vector<Workload> days;
    std::vector<std::vector<std::string>> names(nodes.size());  // of each day's programs
    std::map<std::string, Seen> seen;
    for (size_t node = 0; node < nodes.size(); ++node) {
        days.push_back(replay_workload(nodes[node]));
        days.back().seed = seed;
        fleet.devices += days.back().devices;
        fleet.hours += static_cast<double>(nodes[node].lasts_ns) / 3600e9;
        fleet.lost += nodes[node].lost;
        std::map<std::string, const ipc::RecordedQueue*> queues;
        const std::vector<std::string> all = replay_names(nodes[node]);
        for (size_t i = 0; i < all.size(); ++i) queues[all[i]] = &nodes[node].queues[i];
        for (const ProgramSpec& spec : days.back().programs) {
            const ipc::RecordedQueue& queue = *queues.at(spec.name);
            names[node].push_back(queue.program);
            seen[queue.program].jobs.insert({node, queue.client});
            add_bursts(spec, seen[queue.program]);
        }
    }
    Programs programs;
    for (const auto& [name, each] : seen) programs[name] = describe(name, each);
    for (size_t node = 0; node < nodes.size(); ++node) {
        replay(days[node], names[node], programs, 0);
        for (size_t i = 0; i < names[node].size(); ++i)
            days[node].programs[i].hints.priority = programs.at(names[node][i]).job_class->priority;
        replay(days[node], names[node], programs, 1);
    }
    for (auto& [name, program] : programs) fleet.programs.push_back(std::move(program));
    return fleet;
}

}  // namespace xsched::sim
