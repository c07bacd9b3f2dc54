// Invariants that hold whatever programs do: random programs of one seed, under a policy or under all of them in turn,
// on the virtual clock. A seed that fails once fails always. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload.h"

namespace xsched::sim {

// The extent of a simulation, of one run or of several.
struct Simulated {
    double client_hours = 0;
    uint64_t events = 0;
    int64_t longest_wait_ns = 0;
};

struct PropertyRun {
    Workload workload;  // that the seed made
    std::vector<std::string> failures;  // as sentences; none: all holds
    uint64_t hash = 0;  // of the decisions
    Simulated simulated;
};

// How much programs do in a second. kBrief: a tenth of a second, in which all that has a length is a tenth as long as
// elsewhere: many of them tell more than a few long ones.
enum class Density : uint8_t { kDense, kSparse, kBrief };

// The workload that a seed makes: of `duration_ns`, or of what the seed says if that is 0.
Workload random_workload(uint64_t seed, Density density, int64_t duration_ns = 0);

// An empty policy: the seed chooses one, and another at random moments; one brief run in four changes between its
// policy and others too. The checks:
//  - every program that has work, and may run, completes something within the bound (starvation);
//  - no policy of the build lets a device stand still so that it is thrown out;
//  - after all have been let go, everything that was launched is complete (nothing is lost);
//  - a second run decides the same at the same times (determinism; of sparse runs none, of brief ones one in seven).
PropertyRun check_seed(uint64_t seed, const std::string& policy, Density density, int64_t duration_ns = 0);

}  // namespace xsched::sim
