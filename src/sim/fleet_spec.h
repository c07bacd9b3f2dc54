// A fleet and its kinds of jobs, as read from a file (fleet.h). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/random.h"

namespace xsched::sim {

struct JobKind {
    std::string name;
    double weight = 1;      // of all jobs
    bool urgent = false;
    uint32_t gpus = 1;      // of one node
    Range lasts_ns;         // a batch job's duration with its GPUs to itself
    double memory_gb = 10;  // of each GPU
    double load = 0.3;      // urgent: load while at work; batch: share that it needs at least
    double request_ms = 10;
    double works_s = 60;    // mean time at work, and at rest; exponentially distributed
    double rests_s = 60;
};

struct FleetSpec {
    std::string name;
    uint64_t seed = 1;
    int64_t lasts_ns = 86'400'000'000'000;
    uint64_t jobs = 1000;
    uint32_t gpus_per_node = 8;
    double memory_gb = 80;
    double day_swing = 0.5;   // at the peak of the day jobs come (1 + swing) times as often
    double p99_times = 1.5;   // the target: p99 of an urgent job's requests, in multiples of its p99 alone,
    double within = 0.99;     // to be met by this part of all requests
    double preempt_us = 250;  // cost of a preemption; docs/xsim.md: pattern B beside any kernels
    std::vector<JobKind> kinds;
};

}  // namespace xsched::sim
