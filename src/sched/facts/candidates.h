// The ways that a planner had to choose from, and what it expected to lose by each (mechanism/planner.h). Plain data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sched/facts/mechanism.h"

namespace xsched::sched {

struct Candidate {
    Mechanism mechanism = Mechanism::kNone;  // kNone: there is none
    uint32_t urgent_us = 0;  // what a burst of the more urgent unit is expected to lose
    uint32_t victim_us = 0;  // what the victim is expected to lose, for each such burst
    bool operator==(const Candidate&) const = default;
};

// The possible ways to keep one victim off, in the order gate, timeslice, call. A way that is not possible is left out,
// and the rest of the array is kNone.
using Candidates = std::array<Candidate, 3>;

}  // namespace xsched::sched
