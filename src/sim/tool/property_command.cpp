// xsim property.
#include <nlohmann/json.hpp>

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
    nlohmann::json failures = nlohmann::json::array();
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

void print_failures(uint64_t seed, const std::string& policy, const PropertyWords& words,
                    const std::vector<std::string>& failures) {
    for (const std::string& failure : failures)
        printf("seed %llu%s%s: %s\n", static_cast<unsigned long long>(seed), policy.empty() ? "" : ", policy ",
               policy.c_str(), failure.c_str());
    printf("  again: xsim property --seed %llu%s%s%s\n", static_cast<unsigned long long>(seed),
           words.sparse  ? " --sparse"
           : words.brief ? " --brief"
                         : "",
           policy.empty() ? "" : " --policy ", policy.c_str());
}

void check(uint64_t seed, const std::string& policy, const PropertyWords& words, Tally& tally) {
    const Density density = words.sparse ? Density::kSparse : words.brief ? Density::kBrief : Density::kDense;
    const PropertyRun run = check_seed(seed, policy, density);
    ++tally.runs;
    tally.all.client_hours += run.simulated.client_hours;
    tally.all.events += run.simulated.events;
    tally.all.longest_wait_ns = std::max(tally.all.longest_wait_ns, run.simulated.longest_wait_ns);
    if (words.seed && !words.json) describe(run.workload);
    if (run.failures.empty()) return;
    ++tally.failed;
    tally.failures.push_back({{"seed", seed}, {"policy", policy}, {"sentences", run.failures}});
    if (!words.json) print_failures(seed, policy, words, run.failures);
}

int print_json(const Tally& tally, double seconds) {
    const nlohmann::json all{{"runs", tally.runs},
                             {"failed", tally.failed},
                             {"failures", tally.failures},
                             {"client_hours", tally.all.client_hours},
                             {"events", tally.all.events},
                             {"longest_wait_ms", static_cast<double>(tally.all.longest_wait_ns) / 1e6},
                             {"seconds", seconds}};
    printf("%s\n", all.dump(2).c_str());
    return tally.failed == 0 ? 0 : 1;
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
    const double seconds = static_cast<double>(base::now_ns() - began_ns) / 1e9;
    if (words.json) return print_json(tally, seconds);
    printf("%llu runs, %.2f client-hours, %llu events in %.1f s; longest wait %.0f ms; %llu failed\n",
           static_cast<unsigned long long>(tally.runs), tally.all.client_hours,
           static_cast<unsigned long long>(tally.all.events), seconds,
           static_cast<double>(tally.all.longest_wait_ns) / 1e6, static_cast<unsigned long long>(tally.failed));
    return tally.failed == 0 ? 0 : 1;
}

}  // namespace xsched::sim::tool
