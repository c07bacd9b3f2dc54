// Queues of whose work nothing more will be heard: for how long they count as ready.
#include "dispatch/silence.h"

#include <gtest/gtest.h>

#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class SilentQueue : public TwoClients {
protected:
    // A burst whose last command does not report its end, while the other has work.
    void begin(int64_t command_ns) {
        high.slot(0).command_ns = command_ns;
        low.submit(0, kStart);
        high.slot(0).unreported = 1;
        high.submit(0, kStart);
        dispatcher.pass(kStart);
        ASSERT_TRUE(low.suspended(0));
    }
    bool waits_at(int64_t now) {
        dispatcher.pass(now);
        return low.suspended(0);
    }
    // What it is thought to have been idle since may be a pause of its bursts.
    bool goes_on_after(int64_t now) {
        dispatcher.pass(now);
        return !waits_at(now + kPause);
    }
    static constexpr int64_t kPause = 100 * kMs;
};

TEST_F(SilentQueue, CountsAsIdleAfterSeveralTimesItsLength) {
    begin(kMs);
    EXPECT_TRUE(waits_at(kStart + Silence::kTimes * kMs - kUs));
    EXPECT_TRUE(goes_on_after(kStart + Silence::kTimes * kMs + 2 * kMs));
    EXPECT_EQ(high.slot(0).presumed, 1u) << "its next launch rings";
    EXPECT_TRUE(goes_on_after(kStart + 150 * kMs)) << "and so it stays";
    high.submit(0, kStart + 300 * kMs);
    EXPECT_TRUE(waits_at(kStart + 300 * kMs));
}

TEST_F(SilentQueue, IsLookedAtInTime) {
    begin(kMs);
    const int64_t wake_at = dispatcher.pass(kStart + kMs);
    EXPECT_NE(wake_at, 0);
    EXPECT_LE(wake_at, kStart + 10 * kMs);
}

TEST_F(SilentQueue, OfUnknownLengthIsBelievedForLonger) {
    begin(0);
    EXPECT_TRUE(waits_at(kStart + Silence::kLengthsUnknownNs - kMs));
    EXPECT_TRUE(goes_on_after(kStart + Silence::kLengthsUnknownNs + 10 * kMs));
}

TEST_F(SilentQueue, IsBelievedWhileItsProgramWaits) {
    high.slot(0).inside = 1;
    begin(kMs);
    EXPECT_TRUE(waits_at(kStart + 500 * kMs));
    high.slot(0).inside = 0;
    EXPECT_TRUE(waits_at(kStart + 501 * kMs)) << "its silence begins now";
    EXPECT_TRUE(goes_on_after(kStart + 520 * kMs));
    high.slot(0).inside = 1;
    EXPECT_TRUE(waits_at(kStart + 730 * kMs)) << "it waits for what was given up";
}

TEST_F(SilentQueue, IsBelievedWhileAReportIsToCome) {
    begin(kMs);
    high.slot(0).unreported = 2;
    EXPECT_TRUE(waits_at(kStart + 500 * kMs));
}

TEST_F(SilentQueue, IsBelievedAgainWhenSomethingCompletes) {
    high.slot(0).unreported = 1;
    high.submit(0, kStart);
    begin(kMs);
    EXPECT_TRUE(goes_on_after(kStart + 100 * kMs));
    high.slot(0).completed = 1;
    EXPECT_TRUE(waits_at(kStart + 301 * kMs));
}

}  // namespace
}  // namespace xsched::dispatch
