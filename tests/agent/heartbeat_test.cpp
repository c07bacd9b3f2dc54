#include "agent/heartbeat.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::agent {
namespace {

using base::kMillisecond;

constexpr int64_t kStart = base::kSecond;

// Looks every 100 ms, as the agent does, at a beat that changes each time or never. Returns whether it is lost at last.
bool looks(Heartbeat& heartbeat, int64_t from_ns, int64_t ms, int64_t beat, int64_t step, bool suspended = true) {
    bool lost = false;
    for (int64_t ns = 0; ns <= ms * kMillisecond; ns += 100 * kMillisecond, beat += step)
        lost = heartbeat.is_lost(beat, suspended, from_ns + ns);
    return lost;
}

TEST(Heartbeat, ItsValueDoesNotCount) {
    for (const int64_t first : {int64_t{-5}, int64_t{0}, kStart, kStart * 1'000'000}) {
        for (const int64_t step : {1, -1, 1'000'000'000}) {
            Heartbeat heartbeat;
            EXPECT_FALSE(looks(heartbeat, kStart, 10'000, first, step))
                << first << " and " << step << " more each time";
        }
    }
}

TEST(Heartbeat, IsLostHalfASecondAfterItStandsStill) {
    Heartbeat heartbeat;
    EXPECT_FALSE(looks(heartbeat, kStart, 1000, 1, 1));
    EXPECT_FALSE(looks(heartbeat, kStart + base::kSecond, 500, 11, 0));
    EXPECT_TRUE(heartbeat.is_lost(11, true, kStart + 1501 * kMillisecond));
    EXPECT_FALSE(heartbeat.is_lost(12, true, kStart + 1600 * kMillisecond)) << "it beats again";
}

TEST(Heartbeat, MayStandStillWhileNothingIsSuspended) {
    Heartbeat heartbeat;
    EXPECT_FALSE(looks(heartbeat, kStart, 10'000, 7, 0, false));
    EXPECT_FALSE(heartbeat.is_lost(7, true, kStart + 20 * base::kSecond)) << "the first beat may be on its way";
    EXPECT_FALSE(heartbeat.is_lost(7, true, kStart + 20'500 * kMillisecond));
    EXPECT_TRUE(heartbeat.is_lost(7, true, kStart + 20'501 * kMillisecond));
}

}  // namespace
}  // namespace xsched::agent
