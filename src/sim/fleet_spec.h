// A fleet and its kinds of jobs, as a file says them (fleet.h). Plain data.
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
    Range lasts_ns;         // a batch job's with its GPUs to itself
    double memory_gb = 10;  // of each GPU
    double load = 0.3;      // urgent: at work; batch: at least this must be left to it
    double request_ms = 10;
    double works_s = 60;    // on average, exponentially distributed; and rests
    double rests_s = 60;
};

struct FleetSpec {
    std::string name;
    uint64_t seed = 1;
    int64_t lasts_ns = 86'400'000'000'000;
    uint64_t jobs = 1000;
    uint32_t gpus_per_node = 8;
    double memory_gb = 80;
    double day_swing = 0.5;   // jobs come (1 + swing) times as often at the peak
    double p99_times = 1.5;   // the target: p99 of an urgent job's requests, in times of its p99 alone,
    double within = 0.99;     // which must hold for this part of all requests
    double preempt_us = 250;  // docs/xsim.md: pattern B beside any kernels
    std::vector<JobKind> kinds;
};

}  // namespace xsched::sim
