// By which means a victim is kept off: what is chosen for which lengths and pauses, and what gets into the slots.
#include "dispatch/means.h"

#include <gtest/gtest.h>

#include "dispatch/client.h"
#include "dispatch/two_clients.h"
#include "xsched/types.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr int64_t kLongNs = 5 * kMs, kBriefNs = 100 * kUs;

TEST(Means, ByLengthOfCommandsAndPausesOfTheMoreUrgent) {
    EXPECT_EQ(choose_means({}), Means::kNone);
    EXPECT_EQ(choose_means({.command_ns = kBriefNs, .costs = kGpu, .has_rival = true}), Means::kGate);
    EXPECT_EQ(choose_means({.command_ns = kLongNs, .costs = kGpu, .has_rival = true}), Means::kInterrupt);
    EXPECT_EQ(choose_means({.command_ns = 0, .costs = kGpu, .has_rival = true}), Means::kInterruptUnknown);
    EXPECT_EQ(choose_means({.command_ns = kLongNs, .costs = kGpu, .has_rival = true, .rival_streams = true}), Means::kTimeslice);
    EXPECT_EQ(choose_means({.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .rival_streams = true}), Means::kTimeslice);
}

TEST(Means, ProgramsOfOnePriorityDoNotTakeTurnsAtAMicrosecond) {
    const Victim alone{.command_ns = kLongNs, .costs = kGpu, .has_rival = true, .rival_streams = true};
    EXPECT_TRUE(shortens_timeslice(alone, choose_means(alone)));
    Victim one_of_two = alone;
    one_of_two.has_peer = true;
    EXPECT_EQ(choose_means(one_of_two), Means::kInterrupt);
    EXPECT_FALSE(shortens_timeslice(one_of_two, Means::kInterrupt));
    EXPECT_FALSE(shortens_timeslice({}, Means::kGate));
}

TEST(Means, AMindIsNotChangedForALittle) {
    constexpr int64_t kAboutHalfNs = 450 * kUs;
    EXPECT_EQ(choose_means({.command_ns = kAboutHalfNs, .costs = kGpu, .has_rival = true}), Means::kGate);
    EXPECT_EQ(choose_means({.command_ns = kAboutHalfNs, .costs = kGpu, .has_rival = true, .was_long = true}), Means::kInterrupt);
    EXPECT_EQ(choose_means({.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .was_long = true}), Means::kGate);
}

TEST(Means, BehindOneThatLingersAQuarterOfAMillisecondIsLong) {
    constexpr int64_t kQuarterNs = 300 * kUs;
    EXPECT_EQ(choose_means({.command_ns = kQuarterNs, .costs = kGpu, .has_rival = true}), Means::kGate);
    EXPECT_EQ(choose_means({.command_ns = kQuarterNs, .costs = kGpu, .has_rival = true, .rival_lingers = true}), Means::kInterrupt);
    EXPECT_EQ(choose_means({.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .rival_lingers = true}), Means::kGate);
    EXPECT_EQ(choose_means({.command_ns = kQuarterNs, .costs = kGpu, .has_rival = true, .rival_streams = true, .rival_lingers = true}),
              Means::kTimeslice);
}

TEST(Means, AGateAloneIsTriedOnBriefCommandsOnly) {
    Victim victim{.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .rival_streams = true};
    EXPECT_TRUE(gate_may_do(victim));
    EXPECT_EQ(choose_means(victim), Means::kTimeslice);
    victim.gate_tried_better = true;
    EXPECT_EQ(choose_means(victim), Means::kGate);
    victim.command_ns = 140 * kUs;
    EXPECT_EQ(choose_means(victim), Means::kTimeslice);
    victim.was_brief = true;
    EXPECT_EQ(choose_means(victim), Means::kGate) << "a mind is not changed for a little";
    victim.command_ns = 300 * kUs;
    EXPECT_EQ(choose_means(victim), Means::kTimeslice);
    for (Victim other :
         {Victim{.has_rival = true, .rival_streams = true}, Victim{.command_ns = kBriefNs, .costs = kGpu, .has_rival = true},
          Victim{.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .rival_streams = true, .has_peer = true},
          Victim{.command_ns = kBriefNs, .costs = kGpu, .has_rival = true, .rival_streams = true, .announced = true}})
        EXPECT_FALSE(gate_may_do(other));
}

TEST(Means, WhatATimesliceTakesOffNeedOnlyBeKeptOff) {
    const Victim beside_lingering{.command_ns = kLongNs, .costs = kGpu, .has_rival = true, .rival_lingers = true};
    EXPECT_EQ(choose_interrupt(beside_lingering, Means::kInterrupt, true), ipc::Interrupt::kKeptOff);
    EXPECT_EQ(choose_interrupt(beside_lingering, Means::kInterruptUnknown, true), ipc::Interrupt::kKeptOff);
    EXPECT_EQ(choose_interrupt(beside_lingering, Means::kInterrupt, false), ipc::Interrupt::kTakenOff);
    const Victim beside_another{.command_ns = kLongNs, .costs = kGpu, .has_rival = true};
    EXPECT_EQ(choose_interrupt(beside_another, Means::kInterrupt, true), ipc::Interrupt::kTakenOff)
        << "in its pauses it would come back";
    for (const Means nobody_presses : {Means::kInterruptLate, Means::kInterruptHeld, Means::kInterruptAnnounced})
        EXPECT_EQ(choose_interrupt(beside_lingering, nobody_presses, true), ipc::Interrupt::kTakenOff);
    for (const Means gentle : {Means::kNone, Means::kGate, Means::kTimeslice})
        EXPECT_EQ(choose_interrupt(beside_lingering, gentle, true), ipc::Interrupt::kNone);
}

TEST(Means, EachHasASentence) {
    for (uint32_t number = 0; number <= static_cast<uint32_t>(Means::kInterruptAnnounced); ++number)
        EXPECT_STRNE(means_sentence(static_cast<Means>(number)), "?") << number;
}

sched::UnitState at_work(int64_t ready_since_ns, int64_t idle_since_ns, uint32_t waits = 0) {
    sched::UnitState state;
    state.ready = true;
    state.unit.ready_since_ns = ready_since_ns;
    state.idle_since_ns = idle_since_ns;
    state.waits = waits;
    return state;
}

TEST(Pauses, ALongOneAfterEachBurstMeansStreaming) {
    Pauses pauses;
    int64_t now = kStart;
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

TEST(Pauses, OneLookedAtTwiceCountsOnce) {
    Pauses pauses;
    for (unsigned i = 0; i < 3 * Pauses::kEnough; ++i) pauses.observe(at_work(kStart, kStart - 10 * kMs));
    EXPECT_FALSE(pauses.streams());
}

TEST(Pauses, WhetherTheShortOnesBeginWithAWait) {
    Pauses pauses;
    int64_t now = kStart;
    uint32_t waits = UINT32_MAX - 10;  // it may turn over
    const auto pause = [&](int64_t ns, bool waited) {
        now += kMs + ns;
        pauses.observe(at_work(now, now - ns, waits += waited ? 1 : 0));
    };
    EXPECT_FALSE(pauses.wait()) << "nothing is known";
    for (int burst = 0; burst < 3; ++burst) {  // gaps on the host, and one wait for the whole burst
        for (int i = 0; i < 10; ++i) pause(60 * kUs, false);
        pause(15 * kMs, true);
    }
    EXPECT_FALSE(pauses.wait());
    for (int i = 0; i < 30; ++i) pause(10 * kUs, true);
    EXPECT_TRUE(pauses.wait());
    for (int i = 0; i < 60; ++i) pause(60 * kUs, i % 3 == 0);
    EXPECT_TRUE(pauses.wait()) << "a mind is not changed for a little";
    for (int i = 0; i < 30; ++i) pause(60 * kUs, false);
    EXPECT_FALSE(pauses.wait()) << "it has changed its ways";
}

TEST(TimesliceLadder, TheMostUrgentKeepsItsOwnAndTheLastGetsAMicrosecond) {
    EXPECT_EQ(timeslice_us_of(0, 1), 0u);
    for (const unsigned ranks : {2u, 3u, 5u, 40u}) {
        EXPECT_EQ(timeslice_us_of(0, ranks), 0u);
        EXPECT_EQ(timeslice_us_of(ranks - 1, ranks), 1u);
        for (unsigned rank = 2; rank < ranks; ++rank)
            EXPECT_LE(timeslice_us_of(rank, ranks), timeslice_us_of(rank - 1, ranks)) << rank << " of " << ranks;
        EXPECT_LT(timeslice_us_of(1, ranks), 2048u);
    }
}

class MeansInSlots : public TwoClients {
protected:
    void SetUp() override {
        TwoClients::SetUp();
        low.make_interruptible(0);
        high.make_interruptible(0);
        low.slot(0).command_ns = kLongNs;
    }
    bool interrupt(uint32_t at = 0) { return low.slot(at).interrupt.load() != 0; }
    // Bursts of `high` with pauses of that length until that is believed.
    int64_t learn_pauses(int64_t pause_ns) {
        int64_t now = kStart;
        for (unsigned i = 0; i < 2 * Pauses::kEnough; ++i) {
            high.submit(0, now);
            dispatcher.pass(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            now += kMs + pause_ns;
        }
        return now;
    }
    // Likewise, of one that lingers: each pause begins with a wait.
    int64_t learn_waits() {
        high.header().lingers = 1;
        int64_t now = kStart;
        for (unsigned i = 0; i < Pauses::kEnough; ++i) {
            ++high.header().waits;
            high.submit(0, now);
            dispatcher.pass(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            now += kMs + 20 * kUs;
        }
        return now;
    }
    // Of `high`, a millisecond after `low` began to work. Returns when.
    int64_t begin_burst(int64_t now) {
        low.submit(0, now);
        dispatcher.pass(now);
        now += kMs;
        high.submit(0, now);
        dispatcher.pass(now);
        return now;
    }
};

TEST_F(MeansInSlots, WhatRunsIsTakenOffUntilItMayRunAgain) {
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

TEST_F(MeansInSlots, AnAgentThatMayHaveToCallTheDriverIsTold) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_EQ(low.header().prompt.load(), 1u);
    EXPECT_EQ(high.header().prompt.load(), 0u);
    low.slot(0).command_ns = kBriefNs;
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(low.header().prompt.load(), 0u);
}

TEST_F(MeansInSlots, ShortCommandsAreLeftToTheGate) {
    low.slot(0).command_ns = kBriefNs;
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
}

TEST_F(MeansInSlots, OneThatLastsAfterAllIsTakenOffLater) {
    low.slot(0).command_ns = kBriefNs;
    low.submit(0, kStart);
    high.submit(0, kStart);
    const int64_t again = dispatcher.pass(kStart);
    EXPECT_LE(again, kStart + 2 * kMs);
    EXPECT_NE(again, 0);
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_TRUE(interrupt());
}

TEST_F(MeansInSlots, OneThatLetsTheMoreUrgentWorkIsLeftAlone) {
    low.slot(0).command_ns = kBriefNs;
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    high.slot(0).busy_ns = kMs;
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_FALSE(interrupt());
}

TEST_F(MeansInSlots, AnIdleVictimIsNotWorthIt) {
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    low.submit(0, kStart + 10 * kMs);  // behind its closed gate
    dispatcher.pass(kStart + 10 * kMs);
    EXPECT_FALSE(interrupt());
}

TEST_F(MeansInSlots, NotWhileAQueueOfTheSameProcessRunsThere) {
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

TEST_F(MeansInSlots, NotIfOneOfItsQueuesUsesALowerLevel) {
    low.make_queue(1, 0);
    low.slot(1).level = kPreemptLevelDeactivate;
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(1));
    EXPECT_FALSE(interrupt());
}

TEST_F(MeansInSlots, AShortTimesliceInsteadForAMoreUrgentOneThatStreams) {
    int64_t now = learn_pauses(15 * kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
    EXPECT_EQ(high.slot(0).device_timeslice_us, 0u);
    low.submit(0, now);
    high.submit(0, now);
    dispatcher.pass(now);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    dispatcher.remove_client(2);
    dispatcher.pass(now + kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u) << "nobody is left to make room for";
}

// A timeslice lets the victim back in in gaps that nobody sees.
TEST_F(MeansInSlots, AGateAloneWhereTheUrgentOneIsSoonerDoneSo) {
    low.slot(0).command_ns = kBriefNs;
    int64_t now = learn_pauses(15 * kMs);
    low.submit(0, now);
    dispatcher.pass(now);
    const auto burst = [&](int64_t with_timeslice_ns, int64_t with_gate_ns) {
        now += 15 * kMs;
        high.submit(0, now);
        dispatcher.pass(now);
        EXPECT_TRUE(low.suspended(0));
        now += low.slot(0).device_timeslice_us != 0 ? with_timeslice_ns : with_gate_ns;
        high.complete(0, now);
        dispatcher.pass(now);
        dispatcher.pass(now + 10 * kMs);  // the grace is over
        EXPECT_FALSE(low.suspended(0));
    };
    for (unsigned i = 0; i < 2 * Trials::kBursts + 2; ++i) burst(4600 * kUs, 4200 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    low.slot(0).command_ns = 600 * kUs;  // no gate is enough for these
    burst(4600 * kUs, 4200 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

TEST_F(MeansInSlots, ATimesliceWhereItIsNotWorse) {
    low.slot(0).command_ns = kBriefNs;
    int64_t now = learn_pauses(15 * kMs);
    low.submit(0, now);
    for (unsigned i = 0; i < 3 * Trials::kBursts; ++i) {
        now += 15 * kMs;
        high.submit(0, now);
        dispatcher.pass(now);
        now += kMs;
        high.complete(0, now);
        dispatcher.pass(now);
        dispatcher.pass(now + 10 * kMs);
    }
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

TEST_F(MeansInSlots, NoTimesliceForOneThatPausesOften) {
    low.slot(0).command_ns = kBriefNs;
    learn_pauses(20 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    low.slot(0).command_ns = kLongNs;  // interrupted: its short timeslice ends it sooner
    dispatcher.pass(kStart + 1000 * kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

TEST_F(MeansInSlots, WhoLeavesIsLeftAsItWas) {
    learn_pauses(15 * kMs);
    low.submit(0, kStart + kMs);
    dispatcher.remove_client(1);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    EXPECT_EQ(low.slot(0).interrupt, 0u);
}

TEST_F(MeansInSlots, WhoeverMayTakeOverIsToldToBePrepared) {
    dispatcher.pass(kStart);
    EXPECT_EQ(high.header().linger_wanted, 1u);
    EXPECT_EQ(low.header().linger_wanted, 0u);
    dispatcher.remove_client(1);
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(high.header().linger_wanted, 0u) << "nobody is left to be kept off";
}

TEST_F(MeansInSlots, BesideOneThatLingersItIsOnlyKeptOff) {
    const int64_t now = begin_burst(learn_waits() + 20 * kMs);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kKeptOff));
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
    EXPECT_EQ(high.header().linger_until_ns, now + kGpu.off_ns());
    EXPECT_EQ(low.header().linger_until_ns, 0);
    dispatcher.pass(now + 100 * kUs);
    EXPECT_EQ(high.header().linger_until_ns, now + kGpu.off_ns());
    dispatcher.pass(now + kMs);
    EXPECT_EQ(high.header().linger_until_ns, now + kMs + kGpu.effect_ns()) << "its agent has not answered yet";
    low.header().carried_out = low.header().directive.load();
    dispatcher.pass(now + kMs + 50 * kUs);
    const int64_t until_ns = now + kMs + 50 * kUs + kGpu.effect_ns();
    EXPECT_EQ(high.header().linger_until_ns, until_ns) << "the call has just ended";
    dispatcher.pass(now + kMs + 100 * kUs);
    EXPECT_EQ(high.header().linger_until_ns, until_ns) << "once for each time";
    // A person suspends it too: it must be off even if nobody presses.
    ASSERT_TRUE(dispatcher.set_held(1, 0, true));
    high.complete(0, now + 4 * kMs);
    dispatcher.pass(now + 30 * kMs);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTakenOff));
}

TEST_F(MeansInSlots, OneWhoseAgentDoesNotAnswerIsNotWaitedForForEver) {
    const int64_t now = begin_burst(learn_waits() + 20 * kMs);
    EXPECT_EQ(high.header().linger_until_ns, now + kGpu.off_ns());
    const int64_t last = now + kGpu.most_off_ns();
    dispatcher.pass(last);
    dispatcher.pass(last + kMs);
    EXPECT_EQ(high.header().linger_until_ns, last + kGpu.effect_ns());
}

TEST_F(MeansInSlots, AnAnswerToAnEarlierDirectiveIsNone) {
    int64_t now = learn_waits() + 20 * kMs;
    low.submit(0, now);
    dispatcher.pass(now);
    low.header().directive = UINT32_MAX;  // it wraps around
    low.header().carried_out = UINT32_MAX;
    now += kMs;
    high.submit(0, now);
    dispatcher.pass(now);
    dispatcher.pass(now + kMs);
    EXPECT_EQ(high.header().linger_until_ns, now + kMs + kGpu.effect_ns());
    low.header().carried_out = low.header().directive.load();
    dispatcher.pass(now + 2 * kMs);
    dispatcher.pass(now + 3 * kMs);
    EXPECT_EQ(high.header().linger_until_ns, now + 2 * kMs + kGpu.effect_ns());
}

TEST_F(MeansInSlots, BesideOneThatCannotLingerItIsTakenOff) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTakenOff));
    EXPECT_EQ(high.header().linger_until_ns, 0);
}

TEST_F(MeansInSlots, SuspendedByAPersonItIsTakenOffForGood) {
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    ASSERT_TRUE(dispatcher.set_held(1, 0, true));
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(interrupt());
    EXPECT_EQ(low.slot(0).held, 1u);
}

}  // namespace
}  // namespace xsched::dispatch
