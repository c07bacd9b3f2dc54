// The worth of each rule of the scheduler core (sched/facts/rules.h): short workloads that cover the core's work, and
// the figures of their urgent program and their victims. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload.h"

namespace xsched::sim {

// A workload of a few virtual seconds. Its first program is the one that others make room for.
struct AblationCase {
    std::string name;
    Workload workload;
};
std::vector<AblationCase> ablation_cases();

struct AblationOutcome {
    double first_us = 0;  // the first program's first burst
    double p50_us = 0;  // of its later ones
    double p99_us = 0;
    double victims = 0;  // what all others have of the device, as a part of the time
    uint64_t decisions = 0;  // a number for all of them and their times: equal if they are
};
AblationOutcome run_case(const Workload& workload);

// By how much an outcome is worse than another one; negative: better.
struct AblationLoss {
    double first = 0;  // parts
    double p50 = 0;
    double p99 = 0;
    double victims = 0;  // of the device's time

    // Below these a difference is chance: a hundredth of p50 or p99, three of the first burst, one of the time.
    bool shows() const;
};
AblationLoss loss_of(const AblationOutcome& without, const AblationOutcome& with);

}  // namespace xsched::sim
