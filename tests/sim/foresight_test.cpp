// Bursts foreseen from their rhythm: what the urgent program gains, and what the victim loses whatever the rhythm is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <string>

#include "sim/beside_low.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

Workload workload_of(const std::string& arrival, const char* shape, double low_ms) {
    return beside_low("arrival = { " + arrival + " }\nburst = { kernels = 100, kernel_us = 7" + shape + " }", low_ms,
                      "duration_s = 4");
}

// A burst that is predicted finds the device free: little of a victim's work is left.
TEST(Foresight, ABurstOfAnEvenRhythmDoesNotWaitForTheSwitch) {
    for (const char* shape : {"", ", sync_every = 5"}) {
        Workload workload = workload_of("kind = 'periodic', period_ms = 10", shape, 3);
        const Seen before = run_beside_low(workload);
        workload.settings.foresight = sched::Foresight::kHold;
        const Seen seen = run_beside_low(workload);
        EXPECT_LT(seen.later_us(20), before.later_us(20) - 150) << shape;
        EXPECT_GT(seen.low_share, before.low_share - 0.02) << shape;
    }
}

// A program whose think time is always the same and whose bursts differ in length: its next burst is foreseen from
// the end of the last one.
TEST(Foresight, ABurstBehindAnEvenRestDoesNotWaitForTheSwitch) {
    Workload workload =
        beside_low("arrival = { kind = 'closed', think_ms = [8, 8] }\nburst = { kernels = [60, 300], kernel_us = 7 }",
                   3, "duration_s = 4");
    const Seen before = run_beside_low(workload);
    workload.settings.foresight = sched::Foresight::kHold;
    const Seen seen = run_beside_low(workload);
    EXPECT_LT(seen.later_us(20), before.later_us(20) - 100);
    EXPECT_GT(seen.low_share, before.low_share - 0.02);
}

// An inference program with one graph per request, each behind the answer to the last (MLPerf's SingleStream), beside
// a program with batches. With foresight a request takes as long as alone, without a switch.
TEST(Foresight, OneRequestAfterTheOtherIsAsQuickAsAlone) {
    Workload workload = parse_workload(
        "warm_up = 0\nduration_s = 4\n[[program]]\nname = 'high'\npriority = 1\nstart_ms = 500\n"
        "arrival = { kind = 'closed', think_us = [5050, 5150] }\nburst = { kernels = 1, kernel_us = 900 }\n"
        "[[program]]\nname = 'low'\narrival = { kind = 'stream' }\nburst = { kernels = 60, kernel_us = 110 }\n",
        "test");
    const Seen before = run_beside_low(workload);
    EXPECT_GT(before.later_us(20), 1'070);
    workload.settings.foresight = sched::Foresight::kHold;
    const Seen seen = run_beside_low(workload);
    EXPECT_LT(seen.later_us(20), 930);
    // The program makes more requests than without foresight; the device time of these does not count as the victim's
    // loss.
    const auto more = static_cast<double>(seen.bursts_us.size() - before.bursts_us.size());
    EXPECT_GT(seen.low_share, before.low_share - 0.02 - more * 900 / 4e6);
}

// The program waits again and again within its bursts. The scheduler makes no call, and the device is held through the
// pauses. This also holds beside brief kernels, for which a gate alone would do.
TEST(Foresight, ABurstThatWaitsIsAsQuickAsAlone) {
    for (const double low_ms : {0.05, 0.3, 3.0}) {
        Workload workload =
            workload_of("kind = 'periodic', period_ms = 10, jitter_us = 30", ", sync_every = 5", low_ms);
        const Seen before = run_beside_low(workload);
        workload.settings.foresight = sched::Foresight::kHold;
        const Seen seen = run_beside_low(workload);
        EXPECT_GT(before.later_us(100), 1'060) << low_ms;
        EXPECT_LT(seen.later_us(100), 900) << low_ms << ": 886 alone";
        EXPECT_GT(seen.low_share, before.low_share - 0.01) << low_ms;
        if (low_ms < 0.3) continue;  // no call is made in any case
        EXPECT_GT(seen.low_share, before.low_share + 0.005) << low_ms;
    }
}

// Calls let the victim back while the last of the burst is under way. The urgent program launches more slowly than the
// device works, so that a switch at its begin is hardly seen.
TEST(Foresight, TheVictimOfALongBurstIsBackAtItsEnd) {
    for (const double low_ms : {1.0, 3.0}) {
        Workload workload = workload_of("kind = 'periodic', period_ms = 10, jitter_us = 30", ", gap_us = 60", low_ms);
        const Seen before = run_beside_low(workload);
        workload.settings.foresight = sched::Foresight::kHold;
        const Seen seen = run_beside_low(workload);
        EXPECT_GT(seen.low_share, before.low_share + 0.025) << low_ms;
        EXPECT_LE(seen.later_us(20), before.later_us(20)) << low_ms;
    }
}

// Each gate takes 2 us of the device. Beside an urgent program that uses most of the device, gates far apart leave
// the victim noticeably more.
TEST(Foresight, BesideLongBurstsGatesStandFarApart) {
    const auto gets = [](double low_ms) {
        Workload workload = workload_of("kind = 'periodic', period_ms = 10", ", gap_us = 55", low_ms);
        workload.settings.foresight = sched::Foresight::kHold;
        return run_beside_low(workload).low_share;
    };
    EXPECT_GT(gets(0.05), 1.02 * gets(0.3)) << "its kernels have one each";
}

// The end of a burst that outlasts the previous ones cannot be predicted.
TEST(Foresight, TheVictimOfAnUnevenBurstIsNotBackEarly) {
    Workload workload = beside_low(
        "arrival = { kind = 'periodic', period_ms = 30 }\nburst = { kernels = [60, 300], kernel_us = 7, "
        "gap_us = 60 }",
        3, "duration_s = 4");
    const Seen before = run_beside_low(workload);
    workload.settings.foresight = sched::Foresight::kHold;
    const Seen seen = run_beside_low(workload);
    EXPECT_NEAR(seen.low_share, before.low_share, 0.01);
    EXPECT_LE(seen.later_us(20), before.later_us(20));
}

TEST(Foresight, ABurstOfAnEvenRhythmWaitsForNoCall) {
    Workload workload = workload_of("kind = 'periodic', period_ms = 50", ", sync_every = 5", 3);
    const int64_t before_us = run_beside_low(workload).later_us(20);
    workload.settings.foresight = sched::Foresight::kTakeOff;
    EXPECT_LT(run_beside_low(workload).later_us(20), before_us) << "26 us less before docs/decisions/012";
}

// Expects that foresight costs the victim little. One of its kernels more or less is chance, and is allowed.
void expect_little_cost(const std::string& arrival, const std::string& shape, double low_ms) {
    Workload workload = workload_of(arrival, shape.c_str(), low_ms);
    const double before = run_beside_low(workload).low_share;
    for (const auto foresight : {sched::Foresight::kHold, sched::Foresight::kTakeOff}) {
        workload.settings.foresight = foresight;
        EXPECT_GT(run_beside_low(workload).low_share, before - 0.02 - low_ms / 4e3)
            << arrival << shape << " beside " << low_ms << " " << static_cast<int>(foresight);
    }
}

// The arrivals are even, nearly even, uneven and without any rhythm. Each is simulated with two lengths of kernels, and
// the shapes of bursts take turns; make test-all has all shapes. Only some arrivals are simulated with brief kernels,
// which take ten times as long.
TEST(Foresight, CostsTheVictimTwoPercentAtMost) {
    const bool all = getenv("XSCHED_LONG") != nullptr;
    constexpr const char* kShapes[] = {"", ", gap_us = 60", ", sync_every = 5"};
    size_t rhythm = 0;
    for (const char* arrival :
         {"kind = 'periodic', period_ms = 5", "kind = 'periodic', period_ms = 10, jitter_us = 150",
          "kind = 'periodic', period_ms = 11", "kind = 'periodic', period_ms = 16", "kind = 'periodic', period_ms = 33",
          "kind = 'periodic', period_ms = 50", "kind = 'periodic', period_ms = 50, jitter_us = 100",
          "kind = 'periodic', period_ms = 50, jitter_us = 200", "kind = 'periodic', period_ms = 50, jitter_us = 500",
          "kind = 'periodic', period_ms = 50, jitter_ms = 10", "kind = 'closed', think_ms = [30, 30]",
          "kind = 'closed', think_us = [30000, 30400]", "kind = 'closed', think_ms = [12, 18]",
          "kind = 'poisson', rate_per_s = 30",
          "kind = 'modulated', phases = [{ rate_per_s = 100, stays_ms = 100 },"
          " { rate_per_s = 10, stays_ms = 100 }]"}) {
        for (size_t shape = 0; shape < std::size(kShapes); ++shape) {
            if (all || rhythm % std::size(kShapes) == shape) expect_little_cost(arrival, kShapes[shape], 0.3);
            if (all || (rhythm + 1) % std::size(kShapes) == shape) expect_little_cost(arrival, kShapes[shape], 3.0);
        }
        if (all || rhythm % 3 == 0) expect_little_cost(arrival, kShapes[2], 0.05);
        ++rhythm;
    }
}

}  // namespace
}  // namespace xsched::sim
