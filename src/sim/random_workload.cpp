// Workloads that a seed makes: few programs or many, on one device or two, that come and go.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/clock.h"
#include "sim/property.h"

namespace xsched::sim {
namespace {

constexpr int64_t kMs = base::kMillisecond;
constexpr int64_t kUs = base::kMicrosecond;

bool chance(Random& random, int64_t percent) { return random.below(100) < percent; }

// From a tenth to ten times as long, all orders of magnitude alike.
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

base::Hints random_hints(Random& random) {
    base::Hints hints;
    hints.priority = static_cast<int32_t>(random.below(5)) - 2;
    for (const base::HintInfo& hint : base::kHints) {
        // Whoever has had its part of the device waits rightly.
        const std::string_view name = hint.name;
        if (name == "share" || name == "limit" || name == "utilization") continue;
        if (hint.kind != base::HintKind::kNumber || hint.id == base::HintId::priority || !chance(random, 30)) continue;
        base::set_hint(hints, hint.id, hint.least + random.below(std::min<int64_t>(hint.most - hint.least, 100'000)));
    }
    return hints;
}

ProgramSpec random_program(Random& random, const Workload& workload, Density density) {
    const bool sparse = density == Density::kSparse;
    ProgramSpec spec;
    spec.name = "program";
    spec.device = static_cast<uint32_t>(random.below(workload.devices));
    spec.queues = chance(random, 25) ? 2 : 1;
    spec.level = static_cast<uint32_t>(1 + random.below(3));
    spec.hints = random_hints(random);
    spec.depth = static_cast<uint32_t>(1 + random.below(16));
    spec.burst.kernel_ns.least = about(random, 200 * kUs);
    spec.burst.kernel_ns.most = spec.burst.kernel_ns.least * (chance(random, 50) ? 1 : 3);
    if (!sparse && chance(random, 30)) {
        spec.arrival.kind = ArrivalKind::kStream;
    } else {
        spec.arrival = random_arrival(random, sparse ? 3000 * kMs : 20 * kMs);
        spec.burst.kernels = {1, sparse ? 6 : 30};
        spec.burst.sync_every = random.below(4);
        if (chance(random, 30)) spec.burst.gap_ns = {0, about(random, 50 * kUs)};
    }
    if (chance(random, 30)) spec.start_ns = random.below(workload.duration_ns / 2);
    if (chance(random, 30)) spec.end_ns = spec.start_ns + random.below(workload.duration_ns / 2) + kMs;
    return spec;
}

// One gang or two, of programs on whatever devices.
void form_gangs(Random& random, Workload& workload) {
    const int64_t count = 1 + random.below(2);
    for (ProgramSpec& spec : workload.programs)
        if (chance(random, 60)) spec.hints.gang = 1 + random.below(count);
}

}  // namespace

Workload random_workload(uint64_t seed, Density density, int64_t duration_ns) {
    Random random(seed * 2 + (density == Density::kSparse ? 1 : 0));
    Random gangs(seed ^ 0x6a46);  // of its own, so that a seed's programs are the same without them
    const bool sparse = density == Density::kSparse;
    Workload workload;
    workload.name = "seed " + std::to_string(seed);
    workload.seed = random.next() >> 12;
    workload.warm_up = 0;
    workload.duration_ns = duration_ns != 0 ? duration_ns : (sparse ? 600'000 : 500 + random.below(2000)) * kMs;
    workload.devices = static_cast<uint32_t>(1 + random.below(2));
    if (chance(random, 80)) workload.settings.starvation_limit_ns = 50 * kMs;
    for (int64_t count = sparse ? 12 : 2 + random.below(6); count > 0; --count)
        workload.programs.push_back(random_program(random, workload, density));
    if (chance(gangs, 30)) form_gangs(gangs, workload);
    return workload;
}

}  // namespace xsched::sim
