// Tests of silent queues, whose last work will report no end: for how long the dispatcher counts them as ready.
#include "dispatch/silence.h"

#include <gtest/gtest.h>

#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class SilentQueue : public TwoClients {
protected:
    // Begins a burst of `high` whose last command does not report its end, while `low` has work.
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
    // Returns whether the unit is not kept waiting after a pause that begins at `now`: the time since which it counts
    // as idle may be a pause of its bursts.
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

// A queue with one command of a millisecond whose completion is never reported, while another unit competes.
class SilentAlone : public ::testing::Test {
protected:
    bool idle(int64_t now_ns, bool suspended, int64_t changed_ns) {
        QueueNumbers numbers;
        numbers.silent = numbers.ready = true;
        numbers.submitted = submitted;
        numbers.completed = submitted - 1;
        numbers.command_ns = command_ns;
        return silence.observe(numbers, true, suspended, changed_ns, now_ns);
    }
    Silence silence;
    uint64_t submitted = 1;
    int64_t command_ns = kMs;
};

// PyTorch records and waits on a stream that runs nothing. Under a policy of turns the queue never runs for as long as
// one of unknown length is believed.
TEST_F(SilentAlone, OfUnknownLengthIsPresumedIdleInTurnsToo) {
    command_ns = 0;
    int64_t now = kStart;
    int64_t ran_ns = 0;
    // Runs for 10 ms and is suspended for 20 ms, again and again, until it is presumed idle.
    const auto turns_until_idle = [&] {
        for (ran_ns = 0; ran_ns < base::kSecond; ran_ns += 10 * kMs) {
            const int64_t let_ns = now;
            for (int ms = 0; ms < 10; ++ms)
                if (idle(now += kMs, false, let_ns)) return true;
            const int64_t suspended_ns = now;
            for (int ms = 0; ms < 20; ++ms) idle(now += kMs, true, suspended_ns);
        }
        return false;
    };
    idle(now, false, kStart);
    EXPECT_TRUE(turns_until_idle());
    EXPECT_EQ(ran_ns, 90 * kMs);
    const int64_t suspended_ns = now;
    while (idle(now += kMs, true, suspended_ns)) continue;
    EXPECT_NEAR(now - suspended_ns, 20 * kMs, 2 * kMs) << "it may have work all the same";
    EXPECT_TRUE(turns_until_idle());
    EXPECT_LE(ran_ns, 20 * kMs) << "and shows it soon";
}

// A client that does not ring is looked at seldom.
TEST_F(SilentAlone, WhatNobodyLookedAtWhileItWasSuspendedDoesNotCount) {
    EXPECT_FALSE(idle(kStart, false, kStart));
    // The queue was suspended from 1 ms on and resumed at 9 ms: only the time after that counts.
    EXPECT_FALSE(idle(kStart + 10 * kMs, false, kStart + 9 * kMs));
    EXPECT_FALSE(idle(kStart + 12 * kMs, false, kStart + 9 * kMs));
    EXPECT_TRUE(idle(kStart + 13 * kMs, false, kStart + 9 * kMs));
}

// After a long suspension the queue counts as ready again: a call of its program may wait in the driver for work that
// is off the device.
TEST_F(SilentAlone, CountsAsReadyAgainOnceItIsSuspendedForLong) {
    int64_t now = kStart;
    EXPECT_FALSE(idle(now, false, kStart));
    EXPECT_TRUE(idle(now += 5 * kMs, false, kStart));
    EXPECT_TRUE(idle(now += base::kSecond, false, kStart)) << "not suspended, it stays so";
    for (const int64_t believed_ns : {20 * kMs, 40 * kMs, 80 * kMs}) {
        const int64_t suspended_ns = now;
        EXPECT_TRUE(idle(now += believed_ns - kMs, true, suspended_ns)) << believed_ns;
        EXPECT_FALSE(idle(now += 2 * kMs, true, suspended_ns)) << believed_ns;
        EXPECT_FALSE(idle(now += base::kSecond, true, suspended_ns)) << "until it has had its turn";
        const int64_t turn_ns = now;
        EXPECT_FALSE(idle(now += kMs, false, turn_ns));
        EXPECT_TRUE(idle(now += 4 * kMs, false, turn_ns));
    }
    ++submitted;
    EXPECT_FALSE(idle(now, false, kStart));
    EXPECT_TRUE(idle(now += 5 * kMs, false, kStart));
    EXPECT_FALSE(idle(now + 21 * kMs, true, now)) << "as at first: it has launched";
}

TEST_F(SilentQueue, IsLookedAtAgainWhileItIsSuspended) {
    low.slot(0).command_ns = kMs;
    low.slot(0).unreported = 1;
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    dispatcher.pass(kStart + 20 * kMs);
    ASSERT_EQ(low.slot(0).presumed, 1u);
    int64_t now = kStart + 21 * kMs;
    high.submit(0, now);
    const int64_t end = now + 100 * kMs;
    while (now != 0 && now < end) now = dispatcher.pass(now);
    EXPECT_GT(dispatcher.snapshot()[0].suspended_total_ns, 20 * kMs) << "it counts as ready again";
}

}  // namespace
}  // namespace xsched::dispatch
