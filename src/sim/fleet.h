// A fleet of GPUs and a day of jobs: how many GPUs are needed if each job has its GPUs to itself, and how many if jobs
// share them? The model is coarse: what a GPU's programs do to each other is a formula, whose costs come from the
// detailed simulator. Jobs come, rest, work and go by events from one seed. Any thread.
//
//  - An urgent job (inference) works and rests in turn; at work its requests use `load` of a GPU. Among several jobs at
//    work on one GPU each request takes (1 - its load) / (1 - all loads) times as long (processor sharing). If a batch
//    job is there, its preemption costs another `preempt_us`.
//  - A batch job (training) uses what urgent jobs leave of its GPUs. The GPU that leaves least determines its speed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fleet_spec.h"

namespace xsched::sim {

struct FleetResult {
    double cap = 0;  // largest sum of mean loads of the urgent jobs on one GPU
    uint64_t peak_gpus = 0;  // most GPUs in use at a time
    double mean_gpus = 0;
    double busy = 0;  // busy part of the time of GPUs in use
    double late = 0;  // part of all requests that came while their p99 exceeded the target
    double batch_times = 1;  // duration of batch jobs, in multiples of their duration with GPUs to themselves
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
// Tries several caps on the load of a GPU (FleetResult::cap), and returns the result of the cap that meets the target
// with the fewest GPUs.
FleetAnswer answer_fleet(const FleetSpec& spec);

}  // namespace xsched::sim
