// Measures what each rule of the scheduler core (sched/facts/rules.h) is worth. Short workloads cover the core's work;
// each gives figures for its urgent program and its victims. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload.h"

namespace xsched::sim {

// A workload of a few virtual seconds. Its first program is the urgent one.
struct AblationCase {
    std::string name;
    Workload workload;
};
std::vector<AblationCase> ablation_cases();

struct AblationOutcome {
    double first_us = 0;  // latency of the first program's first burst
    double p50_us = 0;  // latency of its later ones
    double p99_us = 0;
    double victims = 0;  // device time of all other programs, as a part of the time
    uint64_t decisions = 0;  // hash of all decisions and their times: equal if these are equal
};
AblationOutcome run_case(const Workload& workload);

// How much worse one outcome is than another; negative: better.
struct AblationLoss {
    double first = 0;  // parts
    double p50 = 0;
    double p99 = 0;
    double victims = 0;  // part of the device's time

    // Returns whether the difference exceeds chance: a hundredth of p50 or p99, 3 % of the first burst, 1 % of the
    // time.
    bool shows() const;
};
AblationLoss loss_of(const AblationOutcome& without, const AblationOutcome& with);

}  // namespace xsched::sim
