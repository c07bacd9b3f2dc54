// By which mechanism a victim is kept off: what is chosen for which lengths, costs and pauses.
#include "sched/facts/mechanism.h"

#include <gtest/gtest.h>

#include "sched/facts/victim.h"
#include "sched/given_units.h"
#include "sched/mechanism/losses.h"
#include "sched/mechanism/planner.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

constexpr int64_t kLongNs = 5 * kMs, kBriefNs = 100 * kUs;

// Urgent units that pause briefly many times in each burst (kPauses), or never (kOneStretch).
constexpr Returns kPauses{.pauses = 4000, .unbridged = 4000, .before_call = 4000};
constexpr Returns kOneStretch{};
// Pauses of an urgent unit whose keep-alives hold the device: only until an interrupting call would be done
// (kBridged), or in all of its pauses (kBrief).
constexpr Returns kBridged{.pauses = 4000, .unbridged = 4000};
constexpr Returns kBrief{.pauses = 4000};

// Returns a victim that can be interrupted, with a more urgent unit beside it.
Victim victim_of(int64_t command_ns, const Returns& returns = kPauses) {
    return {.level = kPreemptLevelInterrupt,
            .command_ns = command_ns,
            .costs = kGpu,
            .has_rival = true,
            .returns = returns};
}

Mechanism choose(int64_t command_ns, const Returns& returns = kPauses, Mechanism last = Mechanism::kNone) {
    Victim victim = victim_of(command_ns, returns);
    victim.last = last;
    return choose_mechanism(victim);
}

TEST(Mechanism, ByLengthOfCommandsAndPausesOfTheMoreUrgent) {
    EXPECT_EQ(choose_mechanism({}), Mechanism::kNone);
    EXPECT_EQ(choose(kBriefNs), Mechanism::kGate);
    EXPECT_EQ(choose(kLongNs), Mechanism::kInterrupt);
    EXPECT_EQ(choose(0), Mechanism::kInterruptUnknown);
    EXPECT_EQ(choose(kLongNs, kOneStretch), Mechanism::kTimeslice);
    EXPECT_EQ(choose(kBriefNs, kOneStretch), Mechanism::kTimeslice);
    EXPECT_EQ(choose(kLongNs, kBrief), Mechanism::kTimeslice);
}

// Interrupting the victim by a call is chosen if the urgent unit's pauses would give the victim more device time than
// the calls cost; else a short timeslice is chosen.
TEST(Mechanism, ByHowOftenTheMoreUrgentPauses) {
    EXPECT_EQ(choose(kLongNs, {.pauses = 250, .unbridged = 250}), Mechanism::kTimeslice);
    EXPECT_EQ(choose(kLongNs, {.pauses = 500, .unbridged = 500}), Mechanism::kInterrupt);
    EXPECT_EQ(choose(kLongNs, {.pauses = 500, .unbridged = 500, .before_call = 500}), Mechanism::kTimeslice)
        << "a call would not have kept it off either";
    EXPECT_EQ(choose(kLongNs, {.slice_ends = 1000}), Mechanism::kInterrupt) << "the burst outlasts its own timeslice";
}

TEST(Mechanism, ATimesliceThatIsNotInForceTakesNobodyOff) {
    Victim victim = victim_of(kLongNs, kOneStretch);
    victim.timeslice_wait_ns = 1;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
    victim.command_ns = kBriefNs;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
}

TEST(Mechanism, InAShortTimesliceTheGateIsNotEnoughBesidePauses) {
    Victim victim = victim_of(kBriefNs);
    victim.timeslice_us = 1;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
}

// Each mechanism that can be taken is a candidate with the urgent unit's and the victim's expected losses. A mechanism
// that cannot be taken is none.
TEST(Mechanism, TheCandidatesAndWhatTheyLose) {
    const Candidates all = candidates(victim_of(400 * kUs, {.pauses = 100, .unbridged = 100}));
    EXPECT_EQ(all[0], (Candidate{Mechanism::kGate, 200, 0}));
    EXPECT_EQ(all[1], (Candidate{Mechanism::kTimeslice, 35, 0}));
    EXPECT_EQ(all[2], (Candidate{Mechanism::kInterrupt, 0, 500}));
    Victim gated = victim_of(400 * kUs);
    gated.level = kPreemptLevelDeactivate;
    EXPECT_EQ(candidates(gated)[1].mechanism, Mechanism::kNone);
    EXPECT_EQ(candidates({})[0].mechanism, Mechanism::kNone);
}

// A device without timeslices that can be set, as AMD's, has gates and calls alone.
TEST(Mechanism, WithoutTimeslicesLongCommandsAreInterrupted) {
    Victim victim = victim_of(kLongNs, kOneStretch);
    victim.costs.switch_us = 0;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kInterrupt));
    victim.command_ns = 0;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterruptUnknown);
    victim.command_ns = victim.costs.interrupt_ns() / 2;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
}

TEST(Mechanism, BehindOneOfWhichLittleIsKnownEvenBriefCommandsAreInterrupted) {
    Victim victim = victim_of(kBriefNs);
    victim.missing = 1;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
    victim.has_peer = true;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate) << "no short timeslice helps there";
    victim.has_peer = false;
    victim.level = kPreemptLevelDeactivate;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
}

// Copies of an interrupted victim go on in any case, and other units that copy would wait for the call.
TEST(Mechanism, OneThatCopiesIsNotInterrupted) {
    Victim victim = victim_of(kLongNs);
    victim.missing = 1;
    victim.copies = true;
    for (const int64_t command_ns : {kLongNs, int64_t{0}}) {
        victim.command_ns = command_ns;
        EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
        EXPECT_TRUE(shortens_timeslice(victim, Mechanism::kGate)) << "it may launch kernels nevertheless";
    }
}

// Programs in a pool share the timeslice of one context, whatever their peers in it do.
TEST(Mechanism, AContextThatIsSharedIsShortenedForRivalsOutsideOfIt) {
    Victim victim = victim_of(kLongNs);
    victim.level = kPreemptLevelDeactivate;
    victim.has_peer = true;
    EXPECT_TRUE(victim.shares_context());
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kGate)) << "the rival would lose the device with it";
    victim.has_outside_rival = true;
    EXPECT_TRUE(shortens_timeslice(victim, Mechanism::kGate));
    victim.has_outside_peer = true;
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kGate)) << "the two would change places all the time";
    victim.has_outside_peer = false;
    victim.costs = {};
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kGate)) << "it cannot be set there";
}

TEST(Mechanism, ProgramsOfOnePriorityDoNotTakeTurnsAtAMicrosecond) {
    const Victim alone = victim_of(kLongNs, kOneStretch);
    EXPECT_TRUE(shortens_timeslice(alone, choose_mechanism(alone)));
    Victim one_of_two = alone;
    one_of_two.has_peer = true;
    EXPECT_EQ(choose_mechanism(one_of_two), Mechanism::kInterrupt);
    EXPECT_FALSE(shortens_timeslice(one_of_two, Mechanism::kInterrupt));
    EXPECT_FALSE(shortens_timeslice({}, Mechanism::kGate));
}

TEST(Mechanism, ContextsOfOneProcessDoNotTakeTurnsAtAMicrosecond) {
    const Victim one = victim_of(kLongNs, kOneStretch);
    Victim several = one;
    several.contexts_ago_ns = kLatelyNs - 1;
    EXPECT_EQ(choose_mechanism(several), Mechanism::kInterrupt);
    EXPECT_FALSE(shortens_timeslice(several, Mechanism::kInterrupt));
    several.command_ns = kBriefNs;
    EXPECT_EQ(choose_mechanism(several), Mechanism::kGate);
    several.contexts_ago_ns = kLatelyNs;
    EXPECT_EQ(choose_mechanism(several), choose(kBriefNs, kOneStretch)) << "that was long ago";
    several.contexts_ago_ns = 0;
    several.held_ns = kMs;
    EXPECT_FALSE(shortens_timeslice(several, Mechanism::kGate));
}

TEST(Mechanism, BehindOneThatHoldsTheDeviceBriefCommandsHaveAShortTimesliceToo) {
    Victim victim = victim_of(kBriefNs);
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kGate));
    victim.held_ns = kMs;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
    EXPECT_TRUE(shortens_timeslice(victim, Mechanism::kGate));
    victim.has_peer = true;
    EXPECT_FALSE(shortens_timeslice(victim, Mechanism::kGate));
}

TEST(Mechanism, BesideLongBurstsGatesStandFarApart) {
    Victim victim = victim_of(50 * kUs);
    EXPECT_EQ(gates_apart_us(victim), 0U);
    victim.held_ns = 5 * kMs;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
    EXPECT_GT(gates_apart_us(victim), 0U);
    victim.has_peer = true;
    EXPECT_EQ(gates_apart_us(victim), 0U) << "all of them stop late, one behind the other";
    victim.has_peer = victim.has_rival = false;
    EXPECT_EQ(gates_apart_us(victim), 0U);
}

TEST(Mechanism, AMindIsNotChangedForALittle) {
    constexpr int64_t kAboutHalfNs = 500 * kUs;
    EXPECT_EQ(choose(kAboutHalfNs), Mechanism::kGate);
    EXPECT_EQ(choose(kAboutHalfNs, kPauses, Mechanism::kInterrupt), Mechanism::kInterrupt);
    EXPECT_EQ(choose(kBriefNs, kPauses, Mechanism::kInterrupt), Mechanism::kGate);
}

TEST(Mechanism, BehindOneThatKeepsTheDeviceAQuarterOfAMillisecondIsLong) {
    constexpr int64_t kQuarterNs = 250 * kUs;
    EXPECT_EQ(choose(kQuarterNs), Mechanism::kGate);
    EXPECT_EQ(choose(kQuarterNs, kBridged), Mechanism::kInterrupt);
    EXPECT_EQ(choose(kBriefNs, kBridged), Mechanism::kGate);
    EXPECT_EQ(choose(kQuarterNs, kOneStretch), Mechanism::kTimeslice);
}

TEST(Mechanism, AVictimOfSeveralContextsHasNoTimesliceThatTakesItOffAndNeedsLongerCommands) {
    Victim victim = victim_of(300 * kUs, kBridged);
    ASSERT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
    victim.contexts_ago_ns = 0;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate);
    Victim announced = victim;
    announced.lead_ns = 1;
    EXPECT_EQ(choose_mechanism(announced), Mechanism::kGate);
    announced.command_ns = victim.command_ns = kLongNs;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
    EXPECT_EQ(choose_mechanism(announced), Mechanism::kInterrupt);
}

TEST(Mechanism, WhatATimesliceTakesOffNeedOnlyBeKeptOff) {
    const Victim beside_lasting = victim_of(kLongNs, kBridged);
    EXPECT_EQ(choose_interrupt(beside_lasting, Mechanism::kInterrupt, true), Interrupt::kKeptOff);
    EXPECT_EQ(choose_interrupt(beside_lasting, Mechanism::kInterruptUnknown, true), Interrupt::kKeptOff);
    EXPECT_EQ(choose_interrupt(beside_lasting, Mechanism::kInterrupt, false), Interrupt::kTakenOff);
    const Victim beside_another = victim_of(kLongNs);
    EXPECT_EQ(choose_interrupt(beside_another, Mechanism::kInterrupt, true), Interrupt::kTakenOff)
        << "in its pauses it would come back";
    for (const Mechanism nobody_presses :
         {Mechanism::kInterruptLate, Mechanism::kInterruptHeld, Mechanism::kInterruptAnnounced})
        EXPECT_EQ(choose_interrupt(beside_lasting, nobody_presses, true), Interrupt::kTakenOff);
    for (const Mechanism gentle : {Mechanism::kNone, Mechanism::kGate, Mechanism::kTimeslice})
        EXPECT_EQ(choose_interrupt(beside_lasting, gentle, true), Interrupt::kNone);
}

TEST(Mechanism, EachHasASentence) {
    for (uint32_t number = 0; number <= static_cast<uint32_t>(Mechanism::kInterruptAnnounced); ++number)
        EXPECT_STRNE(mechanism_sentence(static_cast<Mechanism>(number)), "?") << number;
}

TEST(Mechanism, WithoutLevel3ItIsTheGate) {
    for (const uint32_t level : {0U, 1U, 2U}) {
        EXPECT_EQ(choose_mechanism({.level = level, .command_ns = kLongNs, .costs = kGpu, .has_rival = true}),
                  Mechanism::kGate);
        EXPECT_EQ(choose_mechanism({.level = level, .has_rival = true, .lead_ns = 1}), Mechanism::kGate);
        EXPECT_EQ(choose_mechanism({.level = level, .command_ns = kLongNs}), Mechanism::kNone);
        EXPECT_FALSE(shortens_timeslice({.level = level, .has_rival = true}, Mechanism::kTimeslice));
    }
}

TEST(Mechanism, WhatTheDeviceCostsDecidesWhichCommandsAreLong) {
    Victim victim = victim_of(kLongNs);
    victim.has_peer = true;
    victim.costs.interrupt_us = 60'000;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kGate) << "the calls cost more than its longest command";
    victim.costs.interrupt_us = 20;
    victim.costs.off_us = 10;
    victim.command_ns = 30 * kUs;
    EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterrupt);
}

TEST(Mechanism, AheadOfAnAnnouncedBurstItIsInterrupted) {
    for (const int64_t command_ns : {int64_t{0}, kBriefNs, kLongNs})
        for (const Returns& returns : {kPauses, kOneStretch}) {
            Victim victim = victim_of(command_ns, returns);
            victim.lead_ns = 1;
            EXPECT_EQ(choose_mechanism(victim), Mechanism::kInterruptAnnounced);
        }
}

TEST(Mechanism, FromItsSuspensionUntilItIsOffTheDevice) {
    EXPECT_EQ(stop_ns(kPreemptLevelInterrupt, kLongNs, kGpu), 900 * kUs);
    EXPECT_EQ(stop_ns(kPreemptLevelDeactivate, kLongNs, kGpu), kLongNs + 250 * kUs);
    EXPECT_EQ(stop_ns(kPreemptLevelBlock, kLongNs, kGpu), kLongNs + 1100 * kUs);
    EXPECT_EQ(stop_ns(kPreemptLevelBlock, 0, kGpu), 2100 * kUs) << "of unknown length";
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

}  // namespace
}  // namespace xsched::sched
