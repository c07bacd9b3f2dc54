// The meter of a process beside the truth, which only a simulation knows.
#include "sim/meter.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "sim/results.h"
#include "sim/workload_file.h"
#include "xsched/types.h"

namespace xsched::sim {
namespace {

constexpr int64_t kMs = base::kMillisecond;
constexpr int64_t kUs = base::kMicrosecond;

TEST(Meter, TellsTheTruthOrWhatItSees) {
    for (const bool learned : {false, true}) {
        Meter meter(learned);
        meter.flight_began(0);
        meter.ran(kMs, true);
        meter.completed(1, true, 3 * kMs);  // seen late
        EXPECT_EQ(meter.busy_ns(), learned ? 3 * kMs : kMs);
        EXPECT_EQ(meter.command_ns(), learned ? 3 * kMs : kMs);
        EXPECT_EQ(meter.error().true_ns, kMs);
        EXPECT_EQ(meter.error().said_ns, 3 * kMs);
        EXPECT_DOUBLE_EQ(meter.error().most, 2);
    }
}

TEST(Meter, TimeOffTheDeviceIsNotTheQueues) {
    Meter meter(true);
    meter.flight_began(0);
    meter.follow({.level = kPreemptLevelInterrupt, .runs = true}, kMs);
    meter.follow({.level = 0, .switch_ns = 200 * kUs}, 11 * kMs);
    meter.completed(1, true, 13 * kMs);
    EXPECT_GE(meter.busy_ns(), 2 * kMs + 200 * kUs) << "1 ms before, and 2 without the switch";
    EXPECT_LE(meter.busy_ns(), 3 * kMs);
}

TEST(Meter, OfAVictimItIsNearTheTruth) {
    for (const char* victim : {"kernel_us = 50", "kernel_us = 300", "kernel_us = 3000"}) {
        Workload workload = parse_workload(std::string(R"(
duration_s = 1.5
foresight = 1
[[program]]
name = "high"
priority = 10
arrival = { kind = "closed", think_ms = [12, 18] }
burst = { kernels = 100, kernel_us = 7, sync_every = 5 }
[[program]]
name = "low"
arrival = { kind = "stream" }
burst = { )") + victim + " }\n",
                                           "w.toml");
        const Report told = run_workload(workload, "", false);
        workload.meters = true;
        const Report seen = run_workload(workload, "", false);
        const MeterError& meter = seen.programs[1].meter;
        ASSERT_GT(meter.samples, 100U) << victim;
        const double said = static_cast<double>(meter.said_ns) / static_cast<double>(meter.true_ns);
        EXPECT_NEAR(said, 1, 0.06) << victim;
        EXPECT_LE(meter.relative / static_cast<double>(meter.samples), 0.1) << victim;
        EXPECT_NEAR(seen.programs[0].latency.p50_us(), told.programs[0].latency.p50_us(),
                    0.05 * told.programs[0].latency.p50_us())
            << victim;
    }
}

}  // namespace
}  // namespace xsched::sim
