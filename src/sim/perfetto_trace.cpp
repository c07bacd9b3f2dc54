#include "sim/perfetto_trace.h"

#include <algorithm>

namespace xsched::sim {

using Kind = console::TraceEventKind;

std::vector<std::string> program_names(const Workload& workload) {
    std::vector<std::string> names;
    for (const ProgramSpec& spec : workload.programs)
        for (uint32_t copy = 1; copy <= spec.count; ++copy)
            names.push_back(spec.count == 1 ? spec.name : spec.name + "-" + std::to_string(copy));
    return names;
}

PerfettoTrace::PerfettoTrace(const std::string& path, const Workload& workload) : file_(path) {
    const std::vector<std::string> names = program_names(workload);
    burst_ended_ns_.assign(names.size(), 0);
    suspended_.assign(names.size(), false);
    for (uint32_t process = 0; process < names.size(); ++process) {
        file_.track(uuid(Track::kProcess, process), 0, names[process]);
        file_.track(uuid(Track::kDevice, process), uuid(Track::kProcess, process), "on the device");
        file_.track(uuid(Track::kBurst, process), uuid(Track::kProcess, process), "bursts");
        file_.track(uuid(Track::kSuspended, process), uuid(Track::kProcess, process), "suspended");
    }
}

void PerfettoTrace::event(Kind kind, uint64_t track, int64_t at_ns, const char* name) {
    console::TraceEvent event{.kind = kind, .track = track, .at_ns = at_ns, .category = "xsim"};
    if (name != nullptr) event.name = name;
    file_.event(event);
}

void PerfettoTrace::on_device(uint32_t /*device*/, uint32_t process, int64_t from_ns, int64_t to_ns) {
    event(Kind::kBegin, uuid(Track::kDevice, process), from_ns, "kernel");
    event(Kind::kEnd, uuid(Track::kDevice, process), to_ns, nullptr);
}

// Writes a burst as a slice. If it came while the burst before was under way, its slice begins where that one ended.
void PerfettoTrace::on_burst(uint32_t process, int64_t from_ns, int64_t to_ns) {
    event(Kind::kBegin, uuid(Track::kBurst, process), std::max(from_ns, burst_ended_ns_[process]), "burst");
    event(Kind::kEnd, uuid(Track::kBurst, process), to_ns, nullptr);
    burst_ended_ns_[process] = to_ns;
}

void PerfettoTrace::on_suspension(uint32_t process, bool suspended, int64_t now_ns) {
    if (suspended_[process] == suspended) return;
    suspended_[process] = suspended;
    event(suspended ? Kind::kBegin : Kind::kEnd, uuid(Track::kSuspended, process), now_ns, "suspended");
}

bool PerfettoTrace::finish(int64_t now_ns) {
    for (uint32_t process = 0; process < suspended_.size(); ++process)
        if (suspended_[process]) on_suspension(process, false, now_ns);
    return file_.finish();
}

}  // namespace xsched::sim
