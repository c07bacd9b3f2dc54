// A workload: devices, programs, and the programs' work. Plain data, as read from a file (workload_file.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/hints.h"
#include "sched/facts/unit.h"
#include "sim/random.h"

namespace xsched::sim {

// Costs in nanoseconds; named as in costs.def, without the unit.
struct DeviceCosts {
#define XSIM_COST(name, microseconds, what) int64_t name = std::llround((microseconds) * 1000);
#include "sim/costs.def"
#undef XSIM_COST
    bool operator==(const DeviceCosts&) const = default;
};

// The memory of each device, and how fast programs' memory moves to the host and back.
struct CardSpec {
    uint64_t bytes = 0;  // 0: memory is not simulated
    double out_gb_per_s = 51;   // an H200, docs/memory.md
    double back_gb_per_s = 37;
};

enum class ArrivalKind : uint8_t {
    kClosed,     // the next burst comes a think time after the last one's end
    kPeriodic,   // every `period_ns`, whether or not the last one has ended
    kPoisson,    // independent of each other, this many a second
    kModulated,  // the same at a rate that changes (a Markov chain that visits `phases` in turn)
    kStream,     // no bursts: `depth` kernels are always enqueued ahead
};

struct Phase {
    double rate_per_s = 0;
    double mean_ns = 0;  // mean duration of the phase, exponentially distributed
};

struct Arrival {
    ArrivalKind kind = ArrivalKind::kClosed;
    Range think_ns;
    int64_t period_ns = 0;
    int64_t jitter_ns = 0;  // for kPeriodic: a burst comes at most this much earlier or later
    std::vector<Phase> phases;  // of kPoisson one
    int64_t announce_ns = 0;    // how long before a burst it is announced; 0: never
};

struct Burst {
    Range kernels{1, 1};
    Range kernel_ns{1'000'000, 1'000'000};
    int64_t sync_every = 0;  // wait after this many kernels; 0: at the end alone
    Range gap_ns;            // host time after each launch
    // How long it takes alone; 0: as long as its kernels say. Otherwise these four are taken at the same part of all,
    // so that the longest burst has the most waits, and its time is divided evenly among its kernels.
    Range length_ns;
    Range waits{1, 1};  // how often it waits for its kernels, at equal distances
    Range pauses_ns;  // of the host after all of these waits but the last, together
};

// A change of the program: from a certain burst on, bursts are different.
struct Change {
    uint32_t after = 0;  // number of bursts before the change; 0: never
    Burst burst;
};

// A burst that was recorded.
struct ReplayBurst {
    int64_t gap_ns = 0;  // pause since the end of the last burst
    int64_t kernels = 1;
    int64_t kernel_ns = 0;
};

struct ProgramSpec {
    std::string name;
    uint32_t count = 1;  // number of processes of this kind
    uint32_t device = 0;  // index into the workload's devices
    uint32_t queues = 1;  // number of queues; kernels go to them in turn
    uint32_t level = 3;  // preempt level
    base::Hints hints;
    Arrival arrival;
    Burst burst;
    Change change;
    uint32_t depth = 16;
    uint64_t memory = 0;  // bytes that it allocates when it starts
    uint64_t burst_memory = 0;  // bytes that it allocates for each burst, and frees at its end
    sched::Habits last_run;  // the habits that its last run left
    bool silent_waits = false;  // it waits by calls that do not report waiting (copies to pageable memory)
    uint32_t copies = 0;  // percent of its commands that the scheduler takes for copies; the device runs them as
                          // kernels
    bool cold = false;  // the scheduler does not know the program before its first burst
    std::vector<ReplayBurst> replay;  // replaces arrivals and bursts; the program ends after the last
    int64_t start_ns = 0;
    int64_t end_ns = INT64_MAX;
};

struct Workload {
    std::string name;
    uint64_t seed = 1;
    int64_t duration_ns = 10'000'000'000;
    uint32_t warm_up = 5;  // first bursts of each program that do not count
    uint32_t devices = 1;
    std::string policy = "HPF";
    std::string recorded_policy;  // under which a replayed recording was made; empty: not known, or no recording
    bool meters = false;  // the scheduler gets lengths of commands that processes measure; otherwise the true ones
    bool notes = false;  // the policy's notes are read, which takes some time
    sched::Settings settings;
    DeviceCosts costs;
    CardSpec card;
    std::vector<ProgramSpec> programs;
};

}  // namespace xsched::sim
