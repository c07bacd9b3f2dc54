// By which mechanism a victim is kept off: what gets into the slots.
#include <gtest/gtest.h>

#include "dispatch/mechanism_in_slots.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

TEST_F(MechanismInSlots, WhatRunsIsTakenOffUntilItMayRunAgain) {
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_FALSE(interrupt());
    high.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(interrupt());
    low.slot(0).command_ns = kBriefNs;
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_TRUE(interrupt()) << "not put back in the middle";
    high.complete(0, kStart + 3 * kMs);
    dispatcher.pass(kStart + 20 * kMs);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_FALSE(interrupt());
}

TEST_F(MechanismInSlots, AnAgentThatMayHaveToCallTheDriverIsTold) {
    const int64_t now = begin_burst(learn_pauses(20 * kUs));
    EXPECT_EQ(low.header().expect_interrupt.load(), 1u);
    EXPECT_EQ(high.header().expect_interrupt.load(), 0u);
    low.slot(0).command_ns = kBriefNs;
    dispatcher.pass(now + kMs);
    EXPECT_EQ(low.header().expect_interrupt.load(), 0u);
}

TEST_F(MechanismInSlots, ShortCommandsAreLeftToTheGate) {
    begin_known_burst();
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
}

// A newcomer's pauses are not known yet, so victims with brief commands are interrupted too.
TEST_F(MechanismInSlots, BesideANewcomerBriefOnesAreTakenOffToo) {
    low.slot(0).command_ns = kBriefNs;
    both_submit();
    EXPECT_TRUE(interrupt());
}

TEST_F(MechanismInSlots, OneThatLastsAfterAllIsTakenOffLater) {
    const int64_t now = begin_known_burst();
    EXPECT_LE(again_ns, now + 2 * kMs);
    EXPECT_NE(again_ns, 0);
    dispatcher.pass(now + 2 * kMs);
    EXPECT_TRUE(interrupt());
}

TEST_F(MechanismInSlots, OneThatLetsTheMoreUrgentWorkIsLeftAlone) {
    const int64_t now = begin_known_burst();
    high.slot(0).busy_ns += kMs;
    dispatcher.pass(now + 2 * kMs);
    EXPECT_FALSE(interrupt());
}

// A victim that still completes commands after its suspension is taken off: the urgent unit makes progress, but shares
// the device with it in each pause.
TEST_F(MechanismInSlots, OneThatStillCompletesSomethingIsTakenOff) {
    int64_t now = begin_known_burst();
    for (int i = 0; i < 20; ++i) low.submit(0, now);
    const auto both_get_on = [&] {
        high.slot(0).busy_ns += kMs;
        ++low.slot(0).completed;
        dispatcher.pass(now += kMs);
    };
    both_get_on();
    EXPECT_FALSE(interrupt()) << "what is before its gate ends";
    both_get_on();
    EXPECT_FALSE(interrupt());
    both_get_on();
    EXPECT_TRUE(interrupt());
}

// A victim whose commands are short on average, but with some long ones among them, as in a training, is interrupted
// soon.
TEST_F(MechanismInSlots, LongCommandsAmongShortOnesAreTakenOffSoon) {
    int64_t now = run_long_commands();
    dispatcher.pass(now += 20 * kMs);
    dispatcher.pass(now += 200 * kMs);
    high.submit(0, now);
    again_ns = dispatcher.pass(now);
    ASSERT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    EXPECT_EQ(again_ns, now + 400 * kUs);
    dispatcher.pass(now + 400 * kUs);
    EXPECT_TRUE(interrupt());
}

// Work that no queue shows: the driver works on the device for a call of the program, such as the loading of a model.
class WorkThatNobodySees : public MechanismInSlots {
protected:
    static constexpr int64_t kBurstNs = kMs, kRestNs = 9 * kMs;

    // Plays bursts of 1 ms of `high`, with work of `low` in between. Returns when the last burst was over.
    int64_t learn_bursts() {
        int64_t now = learn_pauses(20 * kUs) + 20 * kMs;
        low.slot(0).command_ns = kBriefNs;
        for (int i = 0; i < 60; ++i) {
            low.submit(0, now);
            burst(now, kBurstNs);
            low.complete(0, now += kRestNs);
            dispatcher.pass(now);
        }
        return now;
    }
    // Runs one burst of the urgent queue. Returns whether `low` was interrupted at its begin, and whether it was at
    // its end.
    std::pair<bool, bool> burst(int64_t& now, int64_t ns) {
        high.submit(0, now);
        dispatcher.pass(now);
        const bool at_once = interrupt();
        dispatcher.pass(now += ns);
        const bool at_last = interrupt();
        high.complete(0, now);
        dispatcher.pass(now);
        return {at_once, at_last};
    }
    void rest(int64_t& now, int64_t ns) {
        dispatcher.pass(now + kRestNs);
        dispatcher.pass(now += ns);
    }
};

TEST_F(WorkThatNobodySees, IsTakenOffInABurstThatIsLong) {
    int64_t now = learn_bursts();
    rest(now, kRestNs);
    EXPECT_EQ(burst(now, kBurstNs), std::pair(false, false));
    rest(now, 1000 * kMs);
    EXPECT_EQ(burst(now, 3 * kBurstNs), std::pair(false, true));
    rest(now, kRestNs);
    EXPECT_EQ(burst(now, kBurstNs), std::pair(true, true)) << "there may be more of it";
    rest(now, 600 * kMs);
    EXPECT_EQ(burst(now, kBurstNs), std::pair(false, false));
}

// A program that looks idle may be blocked in a call whose work no queue reports. It is not kept off for as long as a
// more urgent unit has work: otherwise the call would never return.
TEST_F(WorkThatNobodySees, IsNotOffTheDeviceForLong) {
    int64_t now = learn_bursts();
    rest(now, kRestNs);
    high.submit(0, now);
    int64_t again = dispatcher.pass(now);
    bool was_off = false;
    for (const int64_t begin = now; now < begin + 200 * kMs; now = again != 0 ? again : begin + 200 * kMs) {
        again = dispatcher.pass(now);
        ASSERT_TRUE(low.suspended(0));
        if (was_off && !interrupt()) {
            EXPECT_EQ(now - begin, 100 * kMs);
            break;
        }
        was_off = interrupt();
    }
    EXPECT_TRUE(was_off);
    EXPECT_FALSE(interrupt());
    high.slot(0).busy_ns += kMs;
    dispatcher.pass(now + 20 * kMs);
    EXPECT_FALSE(interrupt()) << "and not again in this burst";
}

// A victim that is only slowed continues on its part of the device, so there is nothing to put back.
TEST_F(WorkThatNobodySees, IsNotPutBackIfItIsSlowedAlone) {
    int64_t now = run_long_commands();
    high.submit(0, now += kMs);
    dispatcher.pass(now);
    dispatcher.pass(now += 3 * kMs);
    ASSERT_TRUE(interrupt());
    low.slot(0).taken = static_cast<uint32_t>(ipc::Taken::kSlowed);
    low.complete(0, now);
    dispatcher.pass(now += 200 * kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(interrupt());
    low.slot(0).taken = static_cast<uint32_t>(ipc::Taken::kOff);
    dispatcher.pass(now += kMs);
    EXPECT_FALSE(interrupt());
}

TEST_F(WorkThatNobodySees, IsNotSuspectedOfWhoHasDoneNothingForLong) {
    int64_t now = learn_bursts();
    rest(now, 2100 * kMs);
    EXPECT_EQ(burst(now, 3 * kBurstNs), std::pair(false, false));
}

TEST_F(MechanismInSlots, RightAfterLongCommandsItIsTakenOffAtOnce) {
    int64_t now = run_long_commands();
    high.submit(0, now += 20 * kMs);
    dispatcher.pass(now);
    EXPECT_TRUE(interrupt());
}

TEST_F(MechanismInSlots, GatesThatWereNotEnoughAreNotTrustedForAWhile) {
    int64_t now = begin_known_burst();
    dispatcher.pass(now += 2 * kMs);
    ASSERT_TRUE(interrupt());
    const auto next_burst = [&](int64_t pause_ns) {
        high.complete(0, now += kMs);
        dispatcher.pass(now);
        dispatcher.pass(now += pause_ns);
        EXPECT_FALSE(low.suspended(0));
        low.submit(0, now);
        high.submit(0, now);
        dispatcher.pass(now);
        return interrupt();
    };
    now += 40 * kMs;  // the burst is longer for it
    EXPECT_TRUE(next_burst(20 * kMs));
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u) << "as one with long commands";
    EXPECT_TRUE(next_burst(600 * kMs) || low.slot(0).device_timeslice_us == 1u) << "which does by now: it pauses less";
    EXPECT_FALSE(next_burst(600 * kMs)) << "for a second";
}

// The urgent unit makes slow progress for no visible reason.
TEST_F(MechanismInSlots, ABurstThatLastsMuchLongerThanUsualTakesTheVictimOff) {
    const int64_t now = begin_known_burst();
    const auto interrupted_after = [&](int64_t ns) {
        high.slot(0).busy_ns += kUs;
        dispatcher.pass(now + ns);
        return interrupt();
    };
    EXPECT_FALSE(interrupted_after(2 * kMs));
    EXPECT_TRUE(interrupted_after(20 * kMs));
}

TEST_F(MechanismInSlots, AnIdleVictimIsNotWorthIt) {
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    low.submit(0, kStart + 10 * kMs);  // behind its closed gate
    dispatcher.pass(kStart + 10 * kMs);
    EXPECT_FALSE(interrupt());
}

TEST_F(MechanismInSlots, NotWhileAQueueOfTheSameProcessRunsThere) {
    low.make_queue(1, 20);
    low.make_interruptible(1);
    low.submit(0, kStart);
    low.submit(1, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(low.suspended(1));
    EXPECT_FALSE(interrupt());
    EXPECT_FALSE(interrupt(1));
}

TEST_F(MechanismInSlots, NotIfOneOfItsQueuesUsesALowerLevel) {
    low.make_queue(1, 0);
    low.slot(1).level = kPreemptLevelDeactivate;
    both_submit();
    EXPECT_TRUE(low.suspended(1));
    EXPECT_FALSE(interrupt());
}

TEST_F(MechanismInSlots, WhoLeavesIsLeftAsItWas) {
    learn_pauses(15 * kMs);
    low.submit(0, kStart + kMs);
    dispatcher.remove_client(1);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    EXPECT_EQ(low.slot(0).interrupt, 0u);
}

TEST_F(MechanismInSlots, SuspendedByAPersonItIsTakenOffForGood) {
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    ASSERT_TRUE(dispatcher.set_suspended_by_person(1, 0, true));
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(interrupt());
    EXPECT_EQ(low.slot(0).suspended_for_nobody, 1u);
}

}  // namespace
}  // namespace xsched::dispatch
