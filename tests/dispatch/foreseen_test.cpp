// Bursts that are foreseen: the urgent program has the device beforehand, and no unit is suspended for that.
#include "dispatch/mechanism_in_slots.h"
#include "sched/pattern/hold_trial.h"
#include "sched/pattern/period.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr int64_t kPeriodNs = 20 * kMs;

class Foreseen : public MechanismInSlots {
protected:
    explicit Foreseen(sched::Foresight foresight = sched::Foresight::kHold)
        : MechanismInSlots({.foresight = foresight}) {}
    void SetUp() override {
        MechanismInSlots::SetUp();
        high.header().keeps_alive = 1;
        high.slot(0).switch_us = 175;
        low.submit(0, kStart);
        dispatcher.pass(kStart);
    }
    // Plays bursts of 1 ms until their rhythm is believed, with passes when the dispatcher asks for them. Returns when
    // the next burst should begin; the last one is over.
    int64_t bursts(unsigned count = sched::enough_times() + 2) {
        int64_t now = kStart + kMs;
        for (unsigned i = 0; i < count; ++i) {
            high.submit(queue, now);
            dispatcher.pass(now);
            high.complete(queue, now + kMs);
            pass_until(now + kMs, now + kPeriodNs - (i + 1 == count ? kPeriodNs / 2 : 0));
            now += kPeriodNs;
        }
        return now;
    }
    void pass_until(int64_t now, int64_t end_ns) {
        for (int passes = 0; passes < 10'000 && now != 0 && now < end_ns; ++passes) {
            now = dispatcher.pass(now);
        }
    }
    // Returns when `high` is asked to keep the device; 0 if no unit is asked before `end_ns`.
    int64_t held_at(int64_t now, int64_t end_ns) {
        const uint32_t before = high.slot(queue).warm;
        for (int passes = 0; passes < 10'000 && now != 0 && now < end_ns; ++passes) {
            const int64_t next = dispatcher.pass(now);
            if (high.slot(queue).warm != before) return now;
            now = next;
        }
        return 0;
    }

    uint32_t queue = 0;  // of `high`, in which its bursts are
};

TEST_F(Foreseen, ItHasTheDeviceASwitchBeforeAndNobodyIsSuspended) {
    const int64_t next_ns = bursts();
    ASSERT_EQ(low.slot(0).device_timeslice_us, 1U);
    const int64_t held_ns = held_at(next_ns - kPeriodNs / 2, next_ns);
    ASSERT_NE(held_ns, 0);
    EXPECT_GE(next_ns - held_ns, 175 * kUs + sched::Foreseen::wakes_ns());
    EXPECT_LE(next_ns - held_ns, 500 * kUs);
    EXPECT_GE(held_ns + high.slot(0).warm_us.load() * kUs, next_ns) << "until it may come at the latest";
    EXPECT_LE(high.slot(0).warm_us.load(), 600U);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(low.slot(0).warm, 0U);
}

TEST_F(Foreseen, OthersAreToldOfCopiesToCome) {
    high.slot(0).copies = 5;
    const int64_t next_ns = bursts();
    EXPECT_LE(low.header().copy_burst_ns, next_ns);
    EXPECT_GE(low.header().copy_burst_ns, next_ns - 500 * kUs);
    EXPECT_EQ(high.header().copy_burst_ns, 0);
    high.free_queue(0);
    dispatcher.pass(next_ns - kPeriodNs / 3);
    EXPECT_EQ(low.header().copy_burst_ns, 0);
}

// Foreseen bursts of a program that waits several times within each burst for what it has launched.
class ForeseenWithWaits : public Foreseen {
protected:
    static constexpr int kParts = 8;
    static constexpr int64_t kPartNs = 100 * kUs, kPauseNs = 20 * kUs;
    static constexpr int64_t kBurstNs = kParts * (kPartNs + kPauseNs) - kPauseNs;

    // Plays bursts that contain waits for what they launched, until their rhythm is known. Returns when the next one
    // is to begin.
    int64_t waiting_bursts(unsigned count) {
        int64_t now = kStart + kMs;
        for (unsigned i = 0; i < count; ++i) {
            int64_t at = now;
            for (int part = 0; part < kParts; ++part) {
                high.submit(queue, at);
                dispatcher.pass(at);
                ++high.header().keep_alive_synchronizes;
                high.complete(queue, at + kPartNs);
                dispatcher.pass(at + kPartNs);
                at += kPartNs + kPauseNs;
            }
            low.submit(0, at);
            ++low.slot(0).completed;
            pass_until(now + kBurstNs, now + kPeriodNs - (i + 1 == count ? kPeriodNs / 2 : 0));
            now += kPeriodNs;
        }
        return now;
    }
    // Begins the urgent program's foreseen burst. `holds`: the program's process reports that its keep-alive holds
    // the device.
    void begin_held(int64_t now, bool holds) {
        ASSERT_NE(held_at(now - kPeriodNs / 2, now), 0);
        high.slot(0).holds_until_ns = holds ? now + 2 * kMs : 0;
        high.submit(0, now);
        dispatcher.pass(now);
        ASSERT_TRUE(low.suspended(0));
    }
    static constexpr unsigned kEnough = sched::enough_times() + sched::kSampleTimes + 4;
};

TEST_F(ForeseenWithWaits, TheDeviceIsHeldThroughThem) {
    const int64_t next_ns = waiting_bursts(kEnough);
    ASSERT_NE(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
    EXPECT_GE(high.slot(0).warm_behind_us.load() * kUs, kBurstNs);
    EXPECT_LE(high.slot(0).warm_behind_us.load() * kUs, kBurstNs + 50 * kUs);
    EXPECT_EQ(high.slot(0).warm_to_end, 0U);
}

TEST_F(ForeseenWithWaits, NotBeforeItIsSeenHowLongTheyAreWithout) {
    const int64_t next_ns = waiting_bursts(sched::enough_times() + 2);
    ASSERT_NE(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
    EXPECT_EQ(high.slot(0).warm_behind_us, 0U);
}

TEST_F(ForeseenWithWaits, NobodyCallsWhileTheDeviceIsHeld) {
    begin_held(waiting_bursts(kEnough), true);
    EXPECT_FALSE(interrupt());
}

TEST_F(ForeseenWithWaits, TheVictimIsTakenOffWhereItIsNot) {
    begin_held(waiting_bursts(kEnough), false);
    EXPECT_TRUE(interrupt());
}

// A victim of brief commands, for which its gate would suffice. It has a short timeslice, so that the device can be
// held.
class ForeseenBesideBrief : public ForeseenWithWaits {
protected:
    void SetUp() override {
        ForeseenWithWaits::SetUp();
        low.slot(0).command_ns = kBriefNs;
    }
};

TEST_F(ForeseenBesideBrief, TheVictimHasAShortTimesliceAndNobodyCalls) {
    const int64_t next_ns = waiting_bursts(kEnough + 2);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1U);
    begin_held(next_ns, true);
    EXPECT_FALSE(interrupt());
}

TEST_F(ForeseenBesideBrief, ItsGateIsNotEnoughThenIfTheDeviceIsNotHeld) {
    begin_held(waiting_bursts(kEnough + 2), false);
    EXPECT_TRUE(interrupt());
}

TEST_F(Foreseen, OnceForEachBurst) {
    const int64_t next_ns = bursts();
    const int64_t held_ns = held_at(next_ns - kPeriodNs / 2, next_ns);
    ASSERT_NE(held_ns, 0);
    const uint32_t held = high.slot(0).warm;
    pass_until(held_ns, next_ns + 5 * kMs);
    EXPECT_EQ(high.slot(0).warm, held);
}

// Before, the program used another queue of the same priority, to load its data, say. No keep-alive holds the device
// in that queue: the queue that had work last is asked for one.
TEST_F(Foreseen, ByTheQueueThatHadWorkLast) {
    high.make_queue(1, 10);
    high.make_interruptible(1);
    high.slot(1).switch_us = 175;
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    high.complete(0, kStart + 100 * kUs);
    dispatcher.pass(kStart + 100 * kUs);
    queue = 1;
    const int64_t next_ns = bursts();
    EXPECT_NE(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
    EXPECT_EQ(high.slot(0).warm, 0U);
}

TEST_F(Foreseen, NotBeforeARhythmIsKnown) {
    const int64_t next_ns = bursts(sched::enough_times() - 2);
    EXPECT_EQ(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
}

TEST_F(Foreseen, NotWhereItCannotKeepTheDevice) {
    const int64_t next_ns = bursts();
    high.header().keeps_alive = 0;
    high.submit(0, next_ns - kPeriodNs / 2);  // it is looked at when it has work
    dispatcher.pass(next_ns - kPeriodNs / 2);
    high.complete(0, next_ns - kPeriodNs / 2 + kUs);
    EXPECT_EQ(held_at(next_ns - kPeriodNs / 2 + kUs, next_ns), 0);
}

TEST_F(Foreseen, NotBeforeWorkOfSomebodyAsUrgent) {
    FakeClient equal{3, 300};
    equal.make_queue(0, 10);
    equal.make_interruptible(0);
    dispatcher.add_client(equal.view());
    const int64_t next_ns = bursts();
    equal.submit(0, next_ns - kPeriodNs / 2);
    EXPECT_EQ(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
    dispatcher.remove_client(3);
}

TEST_F(Foreseen, NotWhereNobodyElseHasWork) {
    const int64_t next_ns = bursts();
    low.complete(0, next_ns - kPeriodNs / 2);
    EXPECT_EQ(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
}

class ForeseenByNobody : public Foreseen {
protected:
    ForeseenByNobody() : Foreseen(sched::Foresight::kNone) {}
};

TEST_F(ForeseenByNobody, NothingIsHeld) {
    const int64_t next_ns = bursts();
    EXPECT_EQ(held_at(next_ns - kPeriodNs / 2, next_ns), 0);
}

}  // namespace
}  // namespace xsched::dispatch
