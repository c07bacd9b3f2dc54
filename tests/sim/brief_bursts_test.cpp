// Bursts that are over before a call could keep a victim off.
#include <gtest/gtest.h>

#include "sim/beside_low.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

constexpr const char* kBrief =
    "arrival = { kind = 'periodic', period_ms = 10 }\nburst = { kernels = 24, kernel_us = 7, sync_every = 6 }\n";

TEST(BriefBursts, CostTheVictimTwoSwitchesAndNoCall) {
    constexpr double kBusy = 0.024, kSwitches = 0.035;
    for (const double low_ms : {0.3, 3.0}) {
        const Seen seen = run_beside_low(beside_low(kBrief, low_ms, "duration_s = 4"));
        EXPECT_GT(seen.low_share, 0.98 - kBusy - kSwitches) << low_ms;  // it has no gate in the first half a second
        EXPECT_LT(seen.later_us(50), 24 * 7 + 175 + 60) << low_ms;
    }
}

// After 100 brief bursts a program's bursts become long and have pauses. Its victim must then be taken off: otherwise
// it would be back in each pause that no keep-alive bridges.
TEST(BriefBursts, OneThatGoesOnHasItsVictimTakenOff) {
    const std::string changes =
        std::string(kBrief) + "change = { after = 100, kernels = 480, kernel_us = 7, sync_every = 6 }\n";
    for (const double low_ms : {0.3, 3.0}) {
        const Seen seen = run_beside_low(beside_low(changes, low_ms, "duration_s = 4"));
        ASSERT_GT(seen.bursts_us.size(), 200U);
        EXPECT_LE(seen.bursts_us[100], seen.later_us(150) * 13 / 10) << low_ms;
    }
}

}  // namespace
}  // namespace xsched::sim
