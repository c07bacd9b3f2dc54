// Level 3's calls made late (XSCHED_LATE_CALLS): short bursts with pauses do without them.
#include <gtest/gtest.h>

#include <string>

#include "sim/beside_low.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

Seen run_late(const std::string& burst, double low_ms, bool late) {
    Workload workload = beside_low("arrival = { kind = 'periodic', period_ms = 10 }\nburst = { " + burst + " }", low_ms,
                                   "duration_s = 3");
    workload.settings.late_calls = late;
    return run_beside_low(workload);
}

constexpr double kBesideMs[] = {0.3, 3, 30};

TEST(LateCalls, ShortBurstsWithPausesAreAsShortAndCostTheVictimLess) {
    for (const double low_ms : kBesideMs)
        for (const char* burst :
             {"kernels = 100, kernel_us = 7, sync_every = 5", "kernels = 24, kernel_us = 7, sync_every = 6"}) {
            const Seen before = run_late(burst, low_ms, false);
            const Seen now = run_late(burst, low_ms, true);
            printf("%s beside %g: %lld us, %lld late; victim %.4f, %.4f\n", burst, low_ms,
                   static_cast<long long>(before.later_us(50)), static_cast<long long>(now.later_us(50)),
                   before.low_share, now.low_share);
            EXPECT_LE(now.later_us(50), before.later_us(50) + 30) << burst << " beside " << low_ms;
            EXPECT_GT(now.low_share, before.low_share) << burst << " beside " << low_ms;
        }
}

// The device cannot be kept through pauses that are longer than a keep-alive.
TEST(LateCalls, LongerPausesAreFoundOut) {
    for (const double low_ms : kBesideMs)
        for (const char* burst : {"kernels = 6, kernel_us = 60, sync_every = 1, gap_us = 90",
                                  "kernels = 12, kernel_us = 30, sync_every = 1, gap_us = 70"}) {
            const Seen before = run_late(burst, low_ms, false);
            const Seen now = run_late(burst, low_ms, true);
            printf("%s beside %g: %lld us, %lld late; victim %.4f, %.4f\n", burst, low_ms,
                   static_cast<long long>(before.later_us(50)), static_cast<long long>(now.later_us(50)),
                   before.low_share, now.low_share);
            EXPECT_LE(now.later_us(50), before.later_us(50) * 1.02) << burst << " beside " << low_ms;
            EXPECT_GT(now.low_share, before.low_share - 0.002) << burst << " beside " << low_ms;
        }
}

TEST(LateCalls, ABurstThatLastsGetsItsCall) {
    const char* burst = "kernels = 400, kernel_us = 7, sync_every = 5";
    for (const double low_ms : kBesideMs)
        EXPECT_LE(run_late(burst, low_ms, true).later_us(50), run_late(burst, low_ms, false).later_us(50) * 1.02);
}

}  // namespace
}  // namespace xsched::sim
