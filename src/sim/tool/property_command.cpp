// xsim property.
#include <cstdio>

#include "base/clock.h"
#include "policy/policy.h"
#include "sim/property.h"
#include "sim/tool/commands.h"

namespace xsched::sim::tool {
namespace {

struct Tally {
    uint64_t runs = 0;
    uint64_t failed = 0;
    Simulated all;
};

void describe(const Workload& workload) {
    printf("%s: %.1f s, %u devices, policy %s at first, starvation limit %lld ms\n", workload.name.c_str(),
           static_cast<double>(workload.duration_ns) / 1e9, workload.devices, workload.policy.c_str(),
           static_cast<long long>(workload.settings.starvation_limit_ns / base::kMillisecond));
    for (const ProgramSpec& spec : workload.programs) {
        printf("  device %u, priority %d, level %u, %u queues, kernels of %.3f to %.3f ms, %s\n", spec.device,
               spec.hints.priority, spec.level, spec.queues, static_cast<double>(spec.burst.kernel_ns.least) / 1e6,
               static_cast<double>(spec.burst.kernel_ns.most) / 1e6,
               spec.arrival.kind == ArrivalKind::kStream ? "without end" : "in bursts");
    }
}

void check(uint64_t seed, const std::string& policy, const PropertyWords& words, Tally& tally) {
    const Density density = words.sparse ? Density::kSparse : words.brief ? Density::kBrief : Density::kDense;
    const PropertyRun run = check_seed(seed, policy, density);
    ++tally.runs;
    tally.all.client_hours += run.simulated.client_hours;
    tally.all.events += run.simulated.events;
    tally.all.longest_wait_ns = std::max(tally.all.longest_wait_ns, run.simulated.longest_wait_ns);
    if (words.seed) describe(run.workload);
    if (run.failures.empty()) return;
    ++tally.failed;
    for (const std::string& failure : run.failures)
        printf("seed %llu%s%s: %s\n", static_cast<unsigned long long>(seed), policy.empty() ? "" : ", policy ",
               policy.c_str(), failure.c_str());
    printf("  again: xsim property --seed %llu%s%s%s\n", static_cast<unsigned long long>(seed),
           words.sparse  ? " --sparse"
           : words.brief ? " --brief"
                         : "",
           policy.empty() ? "" : " --policy ", policy.c_str());
}

}  // namespace

int property_command(const PropertyWords& words) {
    std::vector<std::string> policies{words.policy};
    if (words.policy == "all") {
        policies.clear();
        for (const policy::PolicyInfo& info : policy::policies()) policies.emplace_back(info.name);
    }
    Tally tally;
    const int64_t began_ns = base::now_ns();
    const uint64_t first = words.seed.value_or(words.first);
    const uint64_t count = words.seed ? 1 : words.seeds;
    const auto more = [&](uint64_t done) {
        return words.client_hours > 0 && !words.seed ? tally.all.client_hours < words.client_hours : done < count;
    };
    for (uint64_t done = 0; more(done); ++done)
        for (const std::string& policy : policies) check(first + done, policy, words, tally);
    printf("%llu runs, %.2f client-hours, %llu events in %.1f s; longest wait %.0f ms; %llu failed\n",
           static_cast<unsigned long long>(tally.runs), tally.all.client_hours,
           static_cast<unsigned long long>(tally.all.events), static_cast<double>(base::now_ns() - began_ns) / 1e9,
           static_cast<double>(tally.all.longest_wait_ns) / 1e6, static_cast<unsigned long long>(tally.failed));
    return tally.failed == 0 ? 0 : 1;
}

}  // namespace xsched::sim::tool
