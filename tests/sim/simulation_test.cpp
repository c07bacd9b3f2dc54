// Whole runs: what the device's time slicing and the real scheduler make of two programs.
#include <gtest/gtest.h>

#include "sim/pattern.h"
#include "sim/results.h"

namespace xsched::sim {
namespace {

using testing::main_job;

double p50_us(const Workload& workload, bool native) {
    return run_workload(workload, "", native).programs[0].latency.p50_us();
}

// Without a scheduler, a burst waits on average for half of the other program's timeslice and for a switch, and then
// takes its own length.
TEST(Simulation, WithoutASchedulerABurstWaitsForTheOthersTimeslice) {
    const double us = p50_us(main_job("", 0.3), true);
    EXPECT_GT(us, 1024 + 175 + 700 - 200);
    EXPECT_LT(us, 1024 + 175 + 700 + 200);
}

// At each synchronize the device goes to the other program, for a timeslice and two switches.
TEST(Simulation, WithoutASchedulerEachPauseCostsATimeslice) {
    const double us = p50_us(main_job("sync_every = 5", 0.3, 4), true);
    EXPECT_GT(us, 19 * (2048 + 2 * 175));
    EXPECT_LT(us, 20 * (2048 + 2 * 175) + 2000);
}

TEST(Simulation, TheSchedulerKeepsTheOtherProgramOff) {
    for (const char* shape : {"", "sync_every = 5"}) {
        for (const double low_ms : {0.05, 0.3, 30.0}) {
            const double us = p50_us(main_job(shape, low_ms), false);
            EXPECT_GT(us, 700) << shape << " beside " << low_ms;
            EXPECT_LT(us, 1300) << shape << " beside " << low_ms;
        }
    }
}

// In the pauses of the urgent program, the device's own timeslices would not come to all of its victims. The
// scheduler gives them turns there, so that none starves and then runs within a burst.
TEST(Simulation, ManyEqualsHaveTheirTurnsInThePauses) {
    Workload workload = main_job("sync_every = 5", 0.3, 4);
    workload.programs[1].count = 10;
    const Report report = run_workload(workload, "", false);
    EXPECT_LT(report.programs[0].latency.p99_us(), 3000);
    for (size_t low = 1; low <= 10; ++low) EXPECT_GT(report.programs[low].kernels_per_s, 5) << low;
}

TEST(Simulation, TheDevicesTimeIsAccountedFor) {
    const Report report = run_workload(main_job("sync_every = 5", 0.3), "", false);
    EXPECT_GT(report.programs[1].share, 0.8);
    EXPECT_LE(report.devices[0].busy + report.devices[0].switching, 1.0);
    EXPECT_NEAR(report.devices[0].busy, report.programs[0].share + report.programs[1].share, 1e-9);
}

// One burst in 50 is long. Drawn by chance, 200 bursts would often have too few of them for a p99.
TEST(Simulation, FewBurstsHaveTheP99OfTheirLengths) {
    std::string lengths = "[";
    for (int i = 0; i <= 50; ++i) lengths += i < 50 ? "1000, " : "9000]";
    for (int seed = 1; seed <= 10; ++seed) {
        const Workload workload = parse_workload("seed = " + std::to_string(seed) +
                                                     "\nduration_s = 2\n[[program]]\narrival = { think_ms = 9 }\n"
                                                     "burst = { length_us = " +
                                                     lengths + " }\n",
                                                 "lengths");
        const Report report = run_workload(workload, "", false);
        EXPECT_NEAR(report.programs[0].latency.p50_us(), 1000, 20);
        EXPECT_NEAR(report.programs[0].latency.p99_us(), 5000, 2900) << seed;
    }
}

TEST(Simulation, OneSeedIsOneRun) {
    Workload workload = main_job("", 0.3, 1);
    const Report first = run_workload(workload, "", false);
    const Report again = run_workload(workload, "", false);
    EXPECT_EQ(first.hash, again.hash);
    EXPECT_EQ(first.events, again.events);
    workload.seed = 2;
    EXPECT_NE(run_workload(workload, "", false).hash, first.hash);
}

TEST(Simulation, EveryPolicyRunsEverybody) {
    Workload workload = main_job("", 1, 3);
    for (const policy::PolicyInfo& info : policy::policies()) {
        const Report report = run_workload(workload, info.name, false);
        EXPECT_GT(report.programs[0].bursts, 10U) << info.name;
        EXPECT_GT(report.programs[1].kernels_per_s, 1.0) << info.name;
    }
    EXPECT_THROW(run_workload(workload, "NOSUCH", false), std::runtime_error);
}

// Behind closed gates at level 1 the launching thread waits.
TEST(Simulation, LevelOneHoldsTheLaunchingThreadBack) {
    Workload workload = main_job("", 1, 2);
    workload.programs[1].level = 1;
    const double level1_us = p50_us(workload, false);
    EXPECT_GT(level1_us, 900);
    EXPECT_LT(level1_us, 3500);
}

TEST(Simulation, ArrivalsComeAtTheirRate) {
    for (const char* arrival : {"{ kind = 'poisson', rate_per_s = 100 }", "{ kind = 'periodic', period_ms = 10 }",
                                "{ kind = 'modulated', phases = [{ rate_per_s = 150, stays_ms = 50 },"
                                " { rate_per_s = 50, stays_ms = 50 }] }"}) {
        const Workload workload = parse_workload(
            std::string("duration_s = 60\n[[program]]\nburst = { kernel_us = 100 }\narrival = ") + arrival, "test");
        EXPECT_NEAR(static_cast<double>(run_workload(workload, "", true).programs[0].bursts), 6000, 400) << arrival;
    }
}

}  // namespace
}  // namespace xsched::sim
