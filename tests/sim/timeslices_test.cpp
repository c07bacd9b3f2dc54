// Simulates bursts that last longer than their process's own timeslice in the hardware, beside a victim that has a
// short timeslice.
#include <gtest/gtest.h>

#include <string>

#include "sim/beside_low.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

constexpr int64_t kSwitchUs = 175;

// Returns the p50, in us, of requests that are one graph each.
int64_t request_us(double ms, double low_ms, const std::string& more = "") {
    const std::string high =
        "arrival = { kind = 'closed', think_ms = [8, 12] }\nburst = { kernels = 1, kernel_ms = " + std::to_string(ms) +
        " }\n";
    return run_beside_low(beside_low(high, low_ms, "duration_s = 3\n" + more)).later_us(20);
}
int64_t with_one_switch_us(double ms) { return static_cast<int64_t>(ms * 1000) + kSwitchUs + 20; }

// A burst that ends within its own timeslice waits for one switch only. The lengths are those of ResNet-50 (0.887 ms),
// ResNet-152 (2.555) and BERT (3.150) alone on an H100 (docs/decisions/014).
TEST(Timeslices, ABurstWithinOneWaitsForOneSwitch) {
    EXPECT_NEAR(request_us(0.887, 0.05), 1079, 20) << "as measured";
    EXPECT_LE(request_us(1.9, 5), with_one_switch_us(1.9));
}

// A burst longer than the driver's own timeslice does not leave its victims to their short timeslices alone: at each
// end of the urgent timeslice the hardware would turn to the victim and back, for 350 us.
TEST(Timeslices, BehindThemAloneIsNoVictimOfLongerBursts) {
    const std::string drivers_own = "urgent_timeslice_us = 0";
    for (const double ms : {2.555, 3.150, 6.5}) {
        EXPECT_LE(request_us(ms, 5, drivers_own), with_one_switch_us(ms)) << ms;
        EXPECT_LE(request_us(ms, 0.05, drivers_own), with_one_switch_us(ms) + 100) << ms;
    }
    EXPECT_LE(request_us(20, 5), with_one_switch_us(20)) << "longer than the longest timeslice";
}

TEST(Timeslices, TheMostUrgentHasOneAsLongAsItsBursts) {
    for (const double ms : {0.887, 2.555, 3.150, 3.670, 6.5})
        for (const double low_ms : {0.05, 0.3, 5.0}) EXPECT_LE(request_us(ms, low_ms), with_one_switch_us(ms)) << ms;
}

// Returns the p50 in us of an urgent program's requests of 2.555 ms beside a program of the same priority, which
// computes for 1 ms and then thinks for `think_ms`.
int64_t beside_equal_us(const std::string& think_ms) {
    const Workload workload = parse_workload(
        "warm_up = 0\nduration_s = 5\n[[program]]\nname = 'high'\npriority = 5\nburst = { kernels = 1, kernel_ms = "
        "2.555 }\n"
        "arrival = { kind = 'closed', think_ms = [8, 12] }\n[[program]]\nname = 'low'\narrival = { kind = 'stream' }\n"
        "burst = { kernel_ms = 5 }\n[[program]]\nname = 'equal'\npriority = 5\nburst = { kernels = 1, kernel_ms = 1 }\n"
        "arrival = { kind = 'closed', think_ms = " +
            think_ms + " }\n",
        "test");
    return run_beside_low(workload).later_us(200);
}

// The same holds beside a program of the same priority: a longer timeslice of either would keep the other one waiting.
TEST(Timeslices, BehindEqualsAsWell) {
    EXPECT_LE(beside_equal_us("[300, 300]"), with_one_switch_us(2.555)) << "the victim is off by a call";
    EXPECT_LE(beside_equal_us("[100000, 100000]"), with_one_switch_us(2.555)) << "it does nothing";
}

// Three priorities: the middle program has a short timeslice because of the most urgent one. The least urgent program
// must be off the device meanwhile, or the middle one would lose it at each end of its timeslice.
TEST(Timeslices, OfThreeTiersTheMiddleOneIsNotSlowedByItsOwn) {
    const auto middle_us = [](const char* above) {
        const Workload workload = parse_workload(
            std::string("warm_up = 0\nduration_s = 5\n[[program]]\nname = 'middle'\npriority = 5\n"
                        "arrival = { kind = 'closed', think_ms = [8, 12] }\nburst = { kernels = 1, kernel_ms = 3 }\n"
                        "[[program]]\nname = 'low'\narrival = { kind = 'stream' }\nburst = { kernel_ms = 10 }\n") +
                above,
            "test");
        return run_beside_low(workload).later_us(20);
    };
    const int64_t two_us = middle_us("");
    const int64_t three_us = middle_us(
        "[[program]]\nname = 'high'\npriority = 10\narrival = { kind = 'closed', think_ms = [80, 120] }\n"
        "burst = { kernels = 1, kernel_ms = 1 }\n");
    EXPECT_LE(three_us, two_us + 2 * kSwitchUs + 20) << "until the call has taken effect";
}

}  // namespace
}  // namespace xsched::sim
