#include "sim/ablation.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "sim/results.h"
#include "sim/workload_file.h"
#include "sim/world.h"

namespace xsched::sim {
namespace {

constexpr size_t kWarmUp = 20;  // first bursts, which p50 and p99 leave out
constexpr const char* kRandom = "kind = 'closed', think_ms = [12, 18]";
constexpr const char* kEven = "kind = 'periodic', period_ms = 10, jitter_us = 30";
constexpr const char* kA = "kernels = 100, kernel_us = 7";
constexpr const char* kB = "kernels = 100, kernel_us = 7, sync_every = 5";
constexpr const char* kC = "kernels = 100, kernel_us = 7, gap_us = 60";

std::string program(const std::string& name, const std::string& arrival, const std::string& burst,
                    const std::string& more = "") {
    return "[[program]]\nname = '" + name + "'\narrival = { " + arrival + " }\nburst = { " + burst + " }\n" + more +
           "\n";
}
std::string high(const std::string& arrival, const std::string& burst, const std::string& more = "") {
    return program("high", arrival, burst, "priority = 10\nstart_ms = 300\n" + more);
}
std::string low(const std::string& kernels, const std::string& more = "") {
    return program("low", "kind = 'stream'", kernels, more);
}
std::string low_ms(const char* ms, const std::string& more = "") { return low(std::string("kernel_ms = ") + ms, more); }

class Cases {
public:
    void add(const std::string& name, const std::string& programs, const std::string& settings = "duration_s = 1.6") {
        Workload workload = parse_workload("warm_up = 0\nforesight = 1\n" + settings + "\n" + programs, name);
        cases_.push_back({name, workload});
    }
    AblationCase& last() { return cases_.back(); }
    std::vector<AblationCase> take() { return std::move(cases_); }

private:
    std::vector<AblationCase> cases_;
};

// Adds the main job's three patterns, at random times and in an even rhythm.
void add_patterns(Cases& cases) {
    const std::pair<const char*, const char*> patterns[] = {{"A", kA}, {"B", kB}, {"C", kC}};
    for (const auto& [name, burst] : patterns)
        for (const char* ms : {"0.05", "3"}) {
            cases.add(std::string(name) + " at random beside " + ms + " ms", high(kRandom, burst) + low_ms(ms));
            cases.add(std::string(name) + " even beside " + ms + " ms", high(kEven, burst) + low_ms(ms));
        }
    cases.add("B at random beside 0.3 ms", high(kRandom, kB) + low_ms("0.3"));
}

// Adds requests of one graph each: some queue, some outlast a timeslice, some end before a call could.
void add_requests(Cases& cases) {
    cases.add("W7: one request after the other",
              high("kind = 'closed', think_us = [5050, 5150]", "kernels = 1, kernel_us = 900") +
                  low("kernels = 60, kernel_us = 110"));
    for (const char* kernels : {"20", "35"})
        cases.add(std::string("requests that queue, of ") + kernels + " kernels",
                  high("kind = 'poisson', rate_per_s = 60", std::string("kernels = ") + kernels + ", kernel_us = 40") +
                      low_ms("0.3"),
                  "duration_s = 4");
    cases.add("bursts of 5 ms",
              high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_ms = 5") + low_ms("5"));
    cases.add("bursts of 20 ms",
              high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_ms = 20") + low_ms("5"));
    cases.add(
        "uneven lengths in an even rhythm",
        high("kind = 'periodic', period_ms = 30", "kernels = [60, 300], kernel_us = 7, gap_us = 60") + low_ms("3"));
    cases.add("brief bursts that wait",
              high("kind = 'closed', think_ms = [6, 10]", "kernels = 24, kernel_us = 7, sync_every = 6") + low_ms("3"));
    cases.add("brief bursts that go on",
              high("kind = 'closed', think_ms = [6, 10]", "kernels = 24, kernel_us = 7, sync_every = 6",
                   "change = { after = 60, kernels = 480, kernel_us = 7, sync_every = 6 }") +
                  low_ms("3"));
}

// Adds programs that are new, that change, that announce bursts, or that wait unreported.
void add_changes(Cases& cases) {
    const std::pair<const char*, const char*> changes[] = {{kA, kB}, {kB, kA}, {kC, kA}, {kA, kC}, {kC, kB}};
    const char* const names[] = {"A, then B", "B, then A", "C, then A", "A, then C", "C, then B"};
    for (size_t at = 0; at < std::size(changes); ++at)
        cases.add(names[at],
                  high(kRandom, changes[at].first, std::string("change = { after = 60, ") + changes[at].second + " }") +
                      low_ms("0.3"));
    cases.add("B, never heard of", high(kRandom, kB, "cold = 1") + low_ms("0.05"));
    cases.add("A, announced", high(std::string(kRandom) + ", announce_us = 1500", kA) + low_ms("3"));
    cases.add("B, announced, beside two kinds",
              high(std::string(kRandom) + ", announce_us = 4000", kB) + low_ms("3") +
                  program("gated", "kind = 'stream'", "kernel_ms = 1.5", "level = 2"));
    cases.add("silent waits", high(kRandom, kB, "silent_waits = 1") + low_ms("0.3"));
    cases.add("a victim's silent waits",
              high(kRandom, kB) + program("low", "kind = 'closed', think_us = 50", "kernels = 40, kernel_us = 300",
                                          "silent_waits = 1"));
    cases.add("few short pauses", high("kind = 'modulated', phases = [{ rate_per_s = 900, stays_ms = 8 }, "
                                       "{ rate_per_s = 20, stays_ms = 60 }]",
                                       "kernels = 10, kernel_us = 20") +
                                      low_ms("0.3"));
}

// Adds devices and machines that are less even than the model.
void add_noise(Cases& cases) {
    for (const char* shape : {kB, kC})
        cases.add(std::string(shape == kB ? "B" : "C") + " even, slow switches", high(kEven, shape) + low_ms("3"),
                  "duration_s = 1.6\n[device]\nswitch_spread_us = 60\nslow_switch_us = 600");
    cases.add("B, 0.4 ms of jitter", high("kind = 'periodic', period_ms = 10, jitter_us = 400", kB) + low_ms("3"));
    cases.add("B, 0.4 ms of jitter beside 0.05 ms",
              high("kind = 'periodic', period_ms = 10, jitter_us = 400", kB) + low_ms("0.05"));
    cases.add("B, slow calls", high(kEven, kB) + low_ms("3"),
              "duration_s = 1.6\n[device]\ntake_off_us = 2000\nkeep_off_us = 1500\nrestore_us = 1000\nset_timeslice_us "
              "= 1500");
    cases.add("A, no keep-alives", high(kEven, kA) + low_ms("3"),
              "duration_s = 1.6\n[device]\nkeep_alive_ready_us = 1000000");
}

// Adds victims with commands of other lengths.
void add_victims(Cases& cases) {
    cases.add("kernels of 5 us to 1.5 ms", high(kEven, kB) + low("kernel_us = [5, 1500]"));
    cases.add("a victim that changes",
              high(kRandom, kB) + program("low", "kind = 'closed', think_us = 1", "kernels = 100, kernel_us = 8",
                                          "change = { after = 900, kernels = 100, kernel_us = 900 }"));
    // Adds a workload whose first program's bursts are replaced by recorded ones.
    const auto replay = [&cases](size_t at, const std::vector<ReplayBurst>& steps) {
        cases.last().workload.programs[at].replay = steps;
    };
    std::vector<ReplayBurst> training;
    for (int step = 0; step < 100; ++step) {
        training.push_back({.gap_ns = 1'000, .kernels = 4000, .kernel_ns = 20'000});
        training.push_back({.gap_ns = 1'000, .kernels = 24, .kernel_ns = 450'000});
    }
    for (const char* shape : {kB, kC}) {
        cases.add(std::string(shape == kB ? "B" : "C") + " beside a training",
                  high(kRandom, shape) + program("low", "kind = 'closed'", "kernel_ms = 1"));
        replay(1, training);
    }
    std::vector<ReplayBurst> warms_up(40, {.gap_ns = 20'000, .kernels = 1, .kernel_ns = 900'000});
    warms_up.insert(warms_up.end(), 300, {.gap_ns = 9'000'000, .kernels = 1, .kernel_ns = 900'000});
    cases.add("a server that warms up", high("kind = 'closed'", "kernels = 1") + low_ms("0.3"));
    replay(0, warms_up);
    std::vector<ReplayBurst> slow_moments;
    for (int burst = 0; burst < 300; ++burst)
        slow_moments.push_back({.gap_ns = 9'100'000, .kernels = burst % 40 < 3 ? 130 : 100, .kernel_ns = 7'000});
    cases.add("B, with slow moments", high("kind = 'closed'", kB) + low_ms("3"), "duration_s = 3");
    replay(0, slow_moments);
    std::vector<ReplayBurst> by_clock;
    for (int burst = 0; burst < 300; ++burst)
        by_clock.push_back({.gap_ns = burst % 12 == 0   ? 9'700'000
                                      : burst % 12 == 1 ? 8'300'000
                                                        : 9'000'000 + burst % 3 * 40'000,
                            .kernels = 100,
                            .kernel_ns = 7'000});
    cases.add("A, that keeps to a clock", high("kind = 'closed'", kA) + low_ms("3"), "duration_s = 3");
    replay(0, by_clock);
    cases.add("kernels near the limit", high(kRandom, kB) + low("kernel_us = [140, 300]"));
    cases.add("C under AUTO", high(kRandom, kC) + low_ms("10"), "duration_s = 3\npolicy = 'AUTO'");
    cases.add("a copier", high(kEven, kB, "copies = 10") + low_ms("0.3", "copies = 100"));
    cases.add("a copier, for an unknown one",
              high(kRandom, kB, "cold = 1\ncopies = 10") + low_ms("0.3", "copies = 100"));
}

// Adds several programs of one priority, and programs of several priorities.
void add_crowds(Cases& cases) {
    std::string five;
    for (const char* ms : {"0.05", "0.3", "1", "3", "10"}) five += low_ms(ms);
    const std::string ten = five + five;
    cases.add("B even beside five", high(kEven, kB) + five);
    cases.add("B even beside ten", high(kEven, kB) + ten);
    cases.add("B at random beside five and a copier", high(kRandom, kB) + five + low_ms("0.3", "copies = 100"));
    cases.add("five, some of which rest",
              high(kEven, kB) + low_ms("0.3") + low_ms("3") +
                  program("rests", "kind = 'closed', think_ms = [3, 30]", "kernels = 10, kernel_us = 300") +
                  program("rests", "kind = 'closed', think_ms = [1, 5]", "kernels = 5, kernel_us = 300"));
    cases.add("beside idle equals",
              high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_us = 2555") + low_ms("5") +
                  program("equal", "kind = 'closed', think_ms = [100000, 100000]", "kernels = 1, kernel_ms = 1",
                          "priority = 10"),
              "duration_s = 5");
    cases.add(
        "beside an equal that works",
        high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_us = 2555") + low_ms("5") +
            program("equal", "kind = 'closed', think_ms = [300, 300]", "kernels = 1, kernel_ms = 1", "priority = 10"));
    cases.add(
        "three tiers, seen from the middle",
        high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_ms = 3") + low_ms("10") +
            program("higher", "kind = 'closed', think_ms = [80, 120]", "kernels = 1, kernel_ms = 1", "priority = 20"));
    cases.add(
        "three tiers, brief in the middle",
        high("kind = 'closed', think_ms = [8, 12]", "kernels = 1, kernel_us = 1400") + low_ms("10") +
            program("higher", "kind = 'closed', think_ms = [80, 120]", "kernels = 1, kernel_ms = 1", "priority = 20"));
    cases.add("three tiers", high(kRandom, kB) + program("middle", kRandom, kA, "priority = 5") + low_ms("3"));
    const std::string equal = program("equal", "kind = 'stream'", "kernel_ms = 9", "priority = 10\nlevel = 2");
    cases.add("starving equals",
              high(kRandom, kB, "level = 2") + equal + equal + equal + equal +
                  program("higher", kRandom, kA, "priority = 20"),
              "duration_s = 4\nstarvation_limit_ms = 100");
    cases.add("a device that is never free", high("kind = 'stream'", "kernel_ms = 1") + low_ms("3"),
              "duration_s = 4\nstarvation_limit_ms = 200");
}

double quantile(const std::vector<int64_t>& sorted, double part) {
    if (sorted.empty()) return 0;
    return static_cast<double>(sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))]) / 1e3;
}

double part_more(double without, double with) { return with > 0 ? without / with - 1 : 0; }

}  // namespace

std::vector<AblationCase> ablation_cases() {
    Cases cases;
    add_patterns(cases);
    add_requests(cases);
    add_changes(cases);
    add_noise(cases);
    add_victims(cases);
    add_crowds(cases);
    return cases.take();
}

AblationOutcome run_case(const Workload& workload) {
    World world(workload, Scheduling::kServer);
    world.run_until(world.begin_ns() + workload.duration_ns);
    AblationOutcome outcome{.decisions = world.server()->decisions_hash()};
    std::vector<int64_t> bursts = world.programs()[0]->results().latency_ns;
    if (!bursts.empty()) outcome.first_us = static_cast<double>(bursts.front()) / 1e3;
    bursts.erase(bursts.begin(), bursts.begin() + static_cast<std::ptrdiff_t>(std::min(bursts.size(), kWarmUp)));
    std::sort(bursts.begin(), bursts.end());
    outcome.p50_us = quantile(bursts, 0.5);
    outcome.p99_us = quantile(bursts, 0.99);
    for (size_t at = 1; at < world.programs().size(); ++at)
        outcome.victims += static_cast<double>(world.programs()[at]->process().context().used_ns) /
                           static_cast<double>(workload.duration_ns);
    return outcome;
}

bool AblationLoss::shows() const {
    return std::abs(p50) >= 0.01 || std::abs(p99) >= 0.01 || std::abs(first) >= 0.03 || std::abs(victims) >= 0.01;
}

AblationLoss loss_of(const AblationOutcome& without, const AblationOutcome& with) {
    return {.first = part_more(without.first_us, with.first_us),
            .p50 = part_more(without.p50_us, with.p50_us),
            .p99 = part_more(without.p99_us, with.p99_us),
            .victims = with.victims - without.victims};
}

}  // namespace xsched::sim
