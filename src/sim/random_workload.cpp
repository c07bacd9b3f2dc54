// Makes random workloads from a seed: few or many programs that come and go, on one or two devices.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/clock.h"
#include "sim/property.h"

namespace xsched::sim {
namespace {

constexpr int64_t kMs = base::kMillisecond;
constexpr int64_t kUs = base::kMicrosecond;

// The typical lengths in a workload.
struct Scale {
    int64_t apart_ns;  // bursts
    int64_t kernel_ns;
    int64_t most_hint;
    int64_t most_kernels;  // in a burst
    int64_t most_programs;
};

Scale scale_of(Density density) {
    switch (density) {
        case Density::kSparse: return {3000 * kMs, 200 * kUs, 100'000, 6, 12};
        case Density::kBrief: return {3 * kMs, 60 * kUs, 3000, 20, 5};
        default: return {20 * kMs, 200 * kUs, 100'000, 30, 7};
    }
}

bool chance(Random& random, int64_t percent) { return random.below(100) < percent; }

// Returns a time between a tenth and ten times `ns`, with all orders of magnitude equally likely.
int64_t about(Random& random, int64_t ns) {
    return static_cast<int64_t>(static_cast<double>(ns) * std::pow(10.0, 2 * random.unit() - 1));
}

Arrival random_arrival(Random& random, int64_t apart_ns) {
    Arrival arrival;
    switch (random.below(4)) {
        case 0:
            arrival.kind = ArrivalKind::kPeriodic;
            arrival.period_ns = about(random, apart_ns) + kMs;
            break;
        case 1:
            arrival.kind = ArrivalKind::kPoisson;
            arrival.phases = {{.rate_per_s = 1e9 / static_cast<double>(apart_ns), .mean_ns = 1}};
            break;
        case 2:
            arrival.kind = ArrivalKind::kModulated;
            arrival.phases = {{.rate_per_s = 5e9 / static_cast<double>(apart_ns), .mean_ns = 5e8}, {0, 2e9}};
            break;
        default: {
            const int64_t think_ns = about(random, apart_ns);
            arrival.think_ns = {think_ns / 2, think_ns};
        }
    }
    if (chance(random, 15)) arrival.announce_ns = about(random, kMs);
    return arrival;
}

base::Hints random_hints(Random& random, Density density) {
    const bool brief = density == Density::kBrief;
    base::Hints hints;
    if (brief) hints.timeslice_us = 500;
    hints.priority = static_cast<int32_t>(random.below(5)) - 2;
    for (const base::HintInfo& hint : base::kHints) {
        // Limits are left out of the random hints: a program that has used its limited part must wait even if the
        // device is idle.
        const std::string_view name = hint.name;
        if (name == "share" || name == "limit" || name == "utilization") continue;
        if (hint.kind != base::HintKind::kNumber || hint.id == base::HintId::priority || !chance(random, 30)) continue;
        const int64_t span = std::min<int64_t>(hint.most - (brief ? 0 : hint.least), scale_of(density).most_hint);
        base::set_hint(hints, hint.id, hint.least + random.below(brief ? span - hint.least : span));
    }
    return hints;
}

ProgramSpec random_program(Random& random, const Workload& workload, Density density) {
    const bool sparse = density == Density::kSparse;
    const Scale scale = scale_of(density);
    ProgramSpec spec;
    spec.name = "program";
    spec.device = static_cast<uint32_t>(random.below(workload.devices));
    spec.queues = chance(random, 25) ? 2 : 1;
    spec.level = static_cast<uint32_t>(1 + random.below(3));
    spec.hints = random_hints(random, density);
    spec.depth = static_cast<uint32_t>(1 + random.below(16));
    spec.burst.kernel_ns.least = about(random, scale.kernel_ns);
    spec.burst.kernel_ns.most = spec.burst.kernel_ns.least * (chance(random, 50) ? 1 : 3);
    if (!sparse && chance(random, 30)) {
        spec.arrival.kind = ArrivalKind::kStream;
    } else {
        spec.arrival = random_arrival(random, scale.apart_ns);
        spec.burst.kernels = {1, scale.most_kernels};
        spec.burst.sync_every = random.below(4);
        if (chance(random, 30)) spec.burst.gap_ns = {0, about(random, 50 * kUs)};
    }
    if (chance(random, 30)) spec.start_ns = random.below(workload.duration_ns / 2);
    if (chance(random, 30)) spec.end_ns = spec.start_ns + random.below(workload.duration_ns / 2) + kMs;
    return spec;
}

int64_t random_duration(Random& random, Density density) {
    switch (density) {
        case Density::kSparse: return 600'000 * kMs;
        case Density::kBrief: return (30 + random.below(60)) * kMs;
        default: return (500 + random.below(2000)) * kMs;
    }
}

// Lowers the starvation limit, so that brief runs test it as well.
void limit_starvation(Random& random, Workload& workload, Density density) {
    const bool soon = chance(random, 80);
    if (density == Density::kBrief) {
        workload.settings.starvation_limit_ns = (soon ? 5 : 15) * kMs;
        workload.settings.starvation_turn_ns = kMs;
    } else if (soon) {
        workload.settings.starvation_limit_ns = 50 * kMs;
    }
}

// Shortens the hardware's costs in the proportion of a brief run.
void shorten_costs(DeviceCosts& costs) {
    for (int64_t* ns :
         {&costs.switch_us, &costs.timeslice_us, &costs.take_off_us, &costs.keep_off_us, &costs.restore_us,
          &costs.effect_us, &costs.set_timeslice_us, &costs.keep_alive_most_us, &costs.declared_off_us,
          &costs.declared_most_off_us, &costs.declared_effect_us, &costs.declared_interrupt_us})
        *ns /= 10;
}

// Adds a program that copies in an even rhythm, and a less urgent one that does nothing else.
void add_copiers(Random& random, Workload& workload) {
    ProgramSpec rhythm;
    rhythm.name = "rhythm";
    rhythm.copies = 10;
    rhythm.hints.priority = 3;
    rhythm.arrival = {.kind = ArrivalKind::kPeriodic, .period_ns = (5 + random.below(30)) * kMs};
    rhythm.burst.kernels = {20, 20};
    rhythm.burst.kernel_ns = {7 * kUs, 7 * kUs};
    rhythm.burst.sync_every = random.below(2) * 5;
    ProgramSpec copier;
    copier.name = "copier";
    copier.copies = 100;
    copier.arrival.kind = ArrivalKind::kStream;
    const int64_t copy_ns = about(random, 200 * kUs);
    copier.burst.kernel_ns = {copy_ns, copy_ns};
    workload.programs.push_back(rhythm);
    workload.programs.push_back(copier);
}

// Gives the programs memory that need not fit onto their devices together. The sizes are such that a move takes some
// milliseconds.
void give_memory(Random& random, Workload& workload) {
    constexpr int64_t kMib = 1 << 20;
    workload.card.bytes = 1024 * kMib;
    for (ProgramSpec& spec : workload.programs) {
        spec.memory = static_cast<uint64_t>((50 + random.below(500)) * kMib);
        if (chance(random, 30)) spec.burst_memory = static_cast<uint64_t>(random.below(300) * kMib);
        spec.hints.evictable = chance(random, 85) ? 1 : 0;
        spec.hints.memory_guarantee = chance(random, 15) ? random.below(300) * kMib : 0;
        spec.hints.memory_limit = chance(random, 5) ? random.below(600) * kMib : 0;
    }
}

// Forms one gang or two, of programs on any devices.
void form_gangs(Random& random, Workload& workload) {
    const int64_t count = 1 + random.below(2);
    for (ProgramSpec& spec : workload.programs)
        if (chance(random, 60)) spec.hints.gang = 1 + random.below(count);
}

}  // namespace

Workload random_workload(uint64_t seed, Density density, int64_t duration_ns) {
    Random random(seed * 2 + (density == Density::kSparse ? 1 : 0));
    if (density == Density::kBrief) random = random.branch(2);
    Random gangs(seed ^ 0x6a46);  // its own generator, so that a seed's programs do not depend on gangs
    Workload workload;
    workload.name = "seed " + std::to_string(seed);
    workload.seed = random.next() >> 12;
    workload.warm_up = 0;
    workload.duration_ns = duration_ns != 0 ? duration_ns : random_duration(random, density);
    workload.devices = static_cast<uint32_t>(1 + random.below(2));
    workload.settings.foresight = static_cast<sched::Foresight>(seed % 3);
    limit_starvation(random, workload, density);
    if (density == Density::kBrief) shorten_costs(workload.costs);
    const int64_t most = scale_of(density).most_programs;
    for (int64_t count = density == Density::kSparse ? most : 2 + random.below(most - 1); count > 0; --count)
        workload.programs.push_back(random_program(random, workload, density));
    if (chance(gangs, 30)) form_gangs(gangs, workload);
    Random silent(seed ^ 0x51e7);
    for (ProgramSpec& spec : workload.programs) spec.silent_waits = density == Density::kDense && chance(silent, 15);
    Random copies(seed ^ 0xc091);
    if (density == Density::kDense && chance(copies, 15)) add_copiers(copies, workload);
    Random memory(seed ^ 0x3e30);
    if (density == Density::kDense && chance(memory, 25)) give_memory(memory, workload);
    return workload;
}

}  // namespace xsched::sim
