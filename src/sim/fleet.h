// A fleet of GPUs and a day of jobs, in the large: how many GPUs does it need if each job has its GPUs to itself, and
// how many if jobs share them? An aggregated model: what a GPU's programs do to each other in a moment is a formula,
// whose costs come from the detailed model. Jobs come, rest, work and go as events of one seed. Any thread.
//
//  - An urgent job (inference) works and rests in turn; at work it uses `load` of a GPU in requests. Among several at
//    work on one GPU each takes (1 - its load) / (1 - all loads) times as long (processor sharing). The preemption of a
//    batch job costs `preempt_us` more.
//  - A batch job (training) uses what urgent ones leave of its GPUs, the least of it counts, and takes longer for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fleet_spec.h"

namespace xsched::sim {

struct FleetResult {
    double cap = 0;  // most mean load of urgent jobs that are placed on one GPU
    uint64_t peak_gpus = 0;  // in use at a time
    double mean_gpus = 0;
    double busy = 0;  // of the time of GPUs in use
    double late = 0;  // requests that came while their p99 was beyond the target, of all
    double batch_times = 1;  // as long as with GPUs to itself
    uint64_t events = 0;
};

struct FleetAnswer {
    FleetResult whole;
    FleetResult shared;
    std::vector<FleetResult> tried;  // other caps
};

// Reads a fleet. Throws std::runtime_error with a sentence: the file, the line, and what is wrong there.
FleetSpec read_fleet(const std::string& path);
FleetSpec parse_fleet(const std::string& text, const std::string& name);

// Simulates the fleet. `cap` 0: each job has whole GPUs.
FleetResult simulate_fleet(const FleetSpec& spec, double cap);
// Tries caps, and returns the one that meets the target with the fewest GPUs.
FleetAnswer answer_fleet(const FleetSpec& spec);

}  // namespace xsched::sim
