// Checks invariants that hold whatever programs do. Random programs from one seed run under one policy, or under all in
// turn, on the virtual clock. A seed that fails once always fails. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload.h"

namespace xsched::sim {

// How much was simulated, in one run or in several.
struct Simulated {
    double client_hours = 0;
    uint64_t events = 0;
    int64_t longest_wait_ns = 0;
};

struct PropertyRun {
    Workload workload;  // the workload that the seed made
    std::vector<std::string> failures;  // sentences; none if all invariants hold
    uint64_t hash = 0;  // of the decisions
    Simulated simulated;
};

// How much programs do in a second. kBrief: a run of a tenth of a second in which all lengths are a tenth of the usual
// ones; many of these find more than a few long ones.
enum class Density : uint8_t { kDense, kSparse, kBrief };

// Returns the workload that a seed makes. `duration_ns` 0: the seed chooses the duration.
Workload random_workload(uint64_t seed, Density density, int64_t duration_ns = 0);

// Checks a seed. `policy` empty: the seed chooses one and changes it at random moments; one brief run in four also
// switches between its policy and others. The checks:
//  - every program that has work and may run completes something within the bound (starvation);
//  - no built-in policy idles a device so long that it is thrown out;
//  - after all programs have been released, everything that was launched is complete;
//  - memory moves only as far as it may, and none is lost (property_memory.h);
//  - a second run decides the same at the same times (skipped for sparse runs, and for six of seven brief ones).
PropertyRun check_seed(uint64_t seed, const std::string& policy, Density density, int64_t duration_ns = 0);

}  // namespace xsched::sim
