// Reads files of xsim (workloads and fleets): each is refused with a sentence, or has numbers within their bounds.
#include <stdexcept>
#include <string>

#include "fuzz/target.h"
#include "sim/fleet.h"
#include "sim/workload_file.h"

namespace xsched::fuzz::workload_target {
namespace {

void read_workload(const std::string& text) {
    try {
        const sim::Workload workload = sim::parse_workload(text);
        demand(!workload.programs.empty() && workload.devices > 0, "a workload has programs and devices");
        for (const sim::ProgramSpec& program : workload.programs)
            demand(program.device < workload.devices, "a program's device is there");
    } catch (const std::runtime_error& error) {
        demand(*error.what() != '\0', "a refusal says why");
    }
}

void read_fleet(const std::string& text) {
    try {
        const sim::FleetSpec spec = sim::parse_fleet(text, "fuzz");
        demand(!spec.kinds.empty() && spec.gpus_per_node > 0, "a fleet has jobs and nodes");
        if (spec.jobs <= 20 && spec.lasts_ns <= 1'000'000'000) sim::simulate_fleet(spec, 0.3);
    } catch (const std::runtime_error& error) {
        demand(*error.what() != '\0', "a refusal says why");
    }
}

}  // namespace

XSCHED_FUZZ(workload) {
    const std::string text(input);
    read_workload(text);
    read_fleet(text);
}

}  // namespace xsched::fuzz::workload_target
