#include "sched/pattern/pauses.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr unsigned kForgets = 7;  // long pauses in a row, whatever was before

UnitState at_work(int64_t ready_since_ns, int64_t idle_since_ns, uint32_t waits = 0) {
    UnitState state;
    state.costs = kGpu;
    state.ready = true;
    state.unit.ready_since_ns = ready_since_ns;
    state.idle_since_ns = idle_since_ns;
    state.keep_alive_synchronizes = waits;
    return state;
}

class Paused : public ::testing::Test {
protected:
    // Lets `some` observe this many pauses of length `ns`, each behind work of `stretch_ns`.
    void pause_in(Pauses& some, int count, int64_t ns, uint32_t waits, int64_t stretch_ns = kMs) {
        for (int i = 0; i < count; ++i) {
            now += stretch_ns + ns;
            some.observe(at_work(now, now - ns, waits));
        }
    }
    void pause(int count, int64_t ns, uint32_t waits = 0, int64_t stretch_ns = kMs) {
        pause_in(pauses, count, ns, waits, stretch_ns);
    }
    Pauses pauses;
    int64_t now = kStart;
};

TEST_F(Paused, ALongOneAfterEachBurstMeansStreaming) {
    for (unsigned i = 0; i <= Pauses::kEnough + 1; ++i) {
        EXPECT_FALSE(pauses.streams() && i < Pauses::kEnough) << "too little is known";
        pauses.observe(at_work(now, now - 10 * kMs));
        now += 11 * kMs;
    }
    EXPECT_TRUE(pauses.streams());
    for (int i = 0; i < 8; ++i) {  // it begins to synchronize
        pauses.observe(at_work(now, now - 20 * kUs));
        now += 100 * kUs;
    }
    EXPECT_FALSE(pauses.streams());
}

// Another burst began before the scheduler had looked, as with requests that queue.
TEST_F(Paused, OneThatNobodySawBehindAWholeBurstIsNone) {
    for (int i = 0; i < 4; ++i) {
        pauses.observe(at_work(now, now - 10 * kMs));
        now += 11 * kMs;
    }
    const int64_t began = now - 11 * kMs;  // bursts of a millisecond
    EXPECT_TRUE(pauses.observe(at_work(began + kMs, began - 10 * kMs)));
    EXPECT_EQ(pauses.last_ns(), 0);
    EXPECT_FALSE(pauses.last_was_within());
    pauses.observe(at_work(began + kMs + 100 * kUs, began - 10 * kMs));
    EXPECT_TRUE(pauses.last_was_within()) << "behind a part of one";
    EXPECT_FALSE(pauses.observe(at_work(began + 4 * kMs, began - 10 * kMs))) << "it may have rested since";
}

TEST_F(Paused, OneLookedAtTwiceCountsOnce) {
    for (unsigned i = 0; i < 3 * Pauses::kEnough; ++i) pauses.observe(at_work(kStart, kStart - 10 * kMs));
    EXPECT_FALSE(pauses.streams());
}

TEST_F(Paused, WhetherTheShortOnesBeginWithAWait) {
    uint32_t waits = UINT32_MAX - 10;  // it may turn over
    const auto pause = [&](int64_t ns, bool waited) {
        now += kMs + ns;
        pauses.observe(at_work(now, now - ns, waits += waited ? 1 : 0));
    };
    EXPECT_FALSE(pauses.begin_with_wait()) << "nothing is known";
    EXPECT_TRUE(pauses.may_begin_with_wait()) << "most programs' do";
    for (int burst = 0; burst < 3; ++burst) {  // gaps on the host, and one wait for the whole burst
        for (int i = 0; i < 10; ++i) pause(60 * kUs, false);
        pause(15 * kMs, true);
    }
    EXPECT_FALSE(pauses.begin_with_wait());
    for (int i = 0; i < 30; ++i) pause(10 * kUs, true);
    EXPECT_TRUE(pauses.begin_with_wait());
    for (int i = 0; i < 60; ++i) pause(60 * kUs, i % 3 == 0);
    EXPECT_TRUE(pauses.begin_with_wait()) << "a mind is not changed for a little";
    for (int i = 0; i < 30; ++i) pause(60 * kUs, false);
    EXPECT_FALSE(pauses.begin_with_wait()) << "it has changed its ways";
}

// Most pauses within a burst are too short to be seen, so a single one that is seen is enough.
TEST_F(Paused, OneWithinABurstIsEnoughNotToStream) {
    EXPECT_TRUE(pauses.unsure());
    pause(1 + Habits::kThinkTimes, 15 * kMs);
    ASSERT_TRUE(pauses.streams());
    ASSERT_FALSE(pauses.unsure());
    ASSERT_FALSE(pauses.may_begin_with_wait()) << "it has none that are short";
    pause(1, 20 * kUs, 0, 50 * kUs);
    EXPECT_FALSE(pauses.streams());
    pause(enough_times() - 1, 15 * kMs);
    EXPECT_FALSE(pauses.streams());
    pause(1, 15 * kMs);
    EXPECT_TRUE(pauses.streams()) << "the only one";
}

// A short pause may lie between two whole requests. So it does not mean that the program pauses within its bursts.
TEST_F(Paused, AnotherBurstAtOnceIsNone) {
    for (int i = 0; i < 20; ++i) {
        pause(i == 0 ? Habits::kThinkTimes + 1 : 15, 15 * kMs);
        EXPECT_TRUE(pauses.streams());
        pause(1, 20 * kUs);
        EXPECT_TRUE(pauses.streams());
        EXPECT_FALSE(pauses.unsure());
    }
    pause(1, 20 * kUs);
    EXPECT_TRUE(pauses.streams());
    pause(1, 20 * kUs);
    EXPECT_FALSE(pauses.streams()) << "three in a row: in each the hardware would turn to the victim and back";
}

// Requests arrive at random: one in six comes right behind another one. So few short pauses must not end the unit's
// counting as one that uses the device in one stretch.
TEST_F(Paused, OneShortOfSixIsLittle) {
    pause(10, 20 * kUs);  // it warms up
    pause(2 * kForgets, 15 * kMs);
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(pauses.streams()) << i;
        pause(1, 20 * kUs);
        EXPECT_TRUE(pauses.streams()) << i;
        pause(5, 15 * kMs);
    }
    for (int i = 0; i < 20; ++i) {
        pause(1, 20 * kUs);
        pause(1, 15 * kMs);
    }
    EXPECT_FALSE(pauses.streams()) << "as many short ones as long ones";
}

// Pauses whose begin the scheduler never saw (the next work came before its next look) count as short pauses within a
// burst.
TEST_F(Paused, ShortOnesThatNobodySawBeginCountAlso) {
    const auto burst = [&](int unseen) {
        pause(1, 15 * kMs);
        const int64_t idle_ns = now - 15 * kMs;
        for (int i = 0; i < unseen; ++i) pauses.observe(at_work(now += 500 * kUs, idle_ns));
    };
    pause(4, 20 * kUs, 0, 100 * kUs);
    for (int i = 0; i < 20; ++i) {
        burst(2);
        EXPECT_FALSE(pauses.streams()) << i;
    }
    for (unsigned i = 0; i <= kForgets; ++i) burst(0);
    EXPECT_TRUE(pauses.streams());
    burst(1);
    EXPECT_TRUE(pauses.streams()) << "its first command may end before the second one is launched";
}

// Short pauses between whole bursts do not hide a later pause within a burst, which comes behind a short stretch.
TEST_F(Paused, AShortStretchCountsAlsoAmongAFewShortOnes) {
    for (int i = 0; i < 6; ++i) {
        pause(5, 15 * kMs);
        pause(1, 20 * kUs);
    }
    ASSERT_TRUE(pauses.streams());
    pause(1, 20 * kUs, 0, 50 * kUs);
    EXPECT_FALSE(pauses.streams());
}

// Where three of four requests had queued, the unit has as many short pauses as one that often synchronizes.
TEST_F(Paused, BetweenRequestsThatQueuedTheyAreToldFromOthers) {
    for (int i = 0; i < 8; ++i) {
        pause(1, 10 * kMs);
        pause(3, 10 * kUs);
    }
    EXPECT_FALSE(pauses.streams());
    EXPECT_TRUE(pauses.streams_or_queues());
    for (int i = 0; i < 3; ++i, now += kMs) pauses.observe(at_work(now + kMs, now - 10 * kMs));
    EXPECT_TRUE(pauses.streams_or_queues()) << "nor do those that nobody saw begin";
    pause(4, 500 * kUs);
    EXPECT_FALSE(pauses.streams_or_queues()) << "these requests had not queued";
}

TEST_F(Paused, BetweenBriefPartsTheyAreNotThoseOfRequests) {
    pause(32, 10 * kUs, 0, 50 * kUs);
    EXPECT_FALSE(pauses.streams_or_queues());
}

TEST_F(Paused, LongOnesAloneMakeItStreamAgain) {
    for (int burst = 0; burst < 6; ++burst) {
        pause(4, 20 * kUs);
        pause(1, 15 * kMs);
    }
    pause(2, 15 * kMs);
    EXPECT_FALSE(pauses.streams()) << "that may be chance";
    pause(static_cast<int>(kForgets) - 3, 15 * kMs);
    EXPECT_TRUE(pauses.streams());
}

TEST_F(Paused, HowLongItHasWorkInOneStretch) {
    EXPECT_EQ(pauses.stretch_ns(), 0) << "not known";
    pause(20, 15 * kMs);  // of a millisecond each
    EXPECT_EQ(pauses.stretch_ns(), kMs);
}

// The program first had long pauses with some short ones in between, then short ones while it warmed up.
TEST_F(Paused, WhatAProgramDidWhileItWarmedUpIsSoonForgotten) {
    pause(20, 15 * kMs);
    for (int i = 0; i < 4; ++i) pause(8, 20 * kUs);
    ASSERT_FALSE(pauses.streams());
    pause(kForgets, 15 * kMs);
    EXPECT_TRUE(pauses.streams());
    EXPECT_FALSE(pauses.unsure());
    pause(1, 20 * kUs, 0, 50 * kUs);
    EXPECT_FALSE(pauses.streams()) << "it pauses again";
}

TEST_F(Paused, TheNextRunBeginsWithThoseOfTheLast) {
    Pauses last;
    uint32_t waits = 0;
    for (int burst = 0; burst < 8; ++burst) {
        for (int i = 0; i < 7; ++i) pause_in(last, 1, 20 * kUs, ++waits);
        pause_in(last, 1, 15 * kMs, ++waits);
    }
    Habits habits;
    last.write(habits);
    EXPECT_EQ(habits.pauses, 32U);
    Pauses next;
    next.begin_with(habits);
    EXPECT_TRUE(next.begin_with_wait());
    EXPECT_FALSE(next.streams());
    EXPECT_TRUE(next.unsure()) << "of this run nothing is known";
    Habits again;
    next.write(again);
    EXPECT_EQ(again, habits);
    pause_in(next, 32U, 15 * kMs, waits);
    EXPECT_TRUE(next.streams()) << "it does something else";
}

TEST_F(Paused, WhatIsKeptIsWhatItUsuallyDoes) {
    int written = 0;
    for (unsigned i = 0; i < 1 + 200; ++i) {
        pause(1, 15 * kMs);
        written += pauses.due() ? 1 : 0;
    }
    EXPECT_EQ(written, 5) << "after 8, 16, 32, 64 and 128";
}

}  // namespace
}  // namespace xsched::sched
