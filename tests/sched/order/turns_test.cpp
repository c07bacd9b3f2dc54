// Equals below a more urgent unit take turns, where level 3 takes them off the device.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

// Victims 1, 2 and 3 of one priority, with work, and an urgent unit, 9, without.
class Turns : public ::testing::Test {
protected:
    Turns() {
        for (const uint64_t id : {1, 2, 3}) given_.push_back({.id = id, .ready = true, .ready_since_ns = kStart});
        given_.push_back({.id = 9, .priority = 1, .idle_since_ns = kStart - kSecond});
        for (Given& one : given_) one.level = kPreemptLevelInterrupt;
    }
    // Returns the victims that may run after so long, such as "1" or "123".
    std::string who_runs(int64_t passed_ns = 0) {
        std::vector<UnitState> states;
        now_ns_ += passed_ns;
        for (const Given& one : given_) {
            states.push_back(one);
            if (one.ready || one.level >= kPreemptLevelInterrupt) states.back().progress_ns = now_ns_;
        }
        plan_ = &core_.decide(states, now_ns_);
        std::string who;
        for (size_t i = 0; i + 1 < given_.size(); ++i)
            if (!plan_->verdicts[i].suspend) who += std::to_string(given_[i].id);
        return who;
    }
    // Returns the first verdicts, after a moment in which the core learns at which level the units are.
    std::string first() {
        who_runs();
        return who_runs(kMs);
    }
    void rest(size_t at) {
        given_[at].ready = false;
        given_[at].idle_since_ns = now_ns_;
    }
    void work(size_t at) {
        given_[at].ready = true;
        given_[at].ready_since_ns = now_ns_;
    }

    WholeCore core_ = hpf_core();
    std::vector<Given> given_;
    int64_t now_ns_ = kStart;
    const WholeCore::Plan* plan_ = nullptr;
};

// A program in a pool that has done nothing for long is none of them.
TEST_F(Turns, AnIdleUnitWithoutLevelThreeDoesNotPreventThem) {
    given_[2].level = kPreemptLevelDeactivate;
    rest(2);
    given_[2].idle_since_ns = kStart - 5 * kSecond;
    EXPECT_EQ(first(), "13");
}

TEST_F(Turns, OneAfterTheOther) {
    EXPECT_EQ(first(), "1");
    EXPECT_EQ(plan_->verdicts[1].by, 1U);
    EXPECT_EQ(plan_->verdicts[1].reason, Reason::kEqualsTurn) << "HPF gives no turns";
    EXPECT_EQ(who_runs(5 * kMs), "1");
    EXPECT_NE(plan_->wake_at_ns, 0);
    EXPECT_EQ(who_runs(5 * kMs), "2");
    EXPECT_EQ(who_runs(10 * kMs), "3");
    EXPECT_EQ(who_runs(10 * kMs), "1");
}

TEST_F(Turns, EachGetsItsPart) {
    first();
    int64_t had[4] = {};
    for (int i = 0; i < 600; ++i) {
        const std::string who = who_runs(kMs);
        ASSERT_EQ(who.size(), 1U);
        ++had[who[0] - '0'];
    }
    for (const int victim : {1, 2, 3}) EXPECT_NEAR(static_cast<double>(had[victim]), 200, 11) << victim;
}

TEST_F(Turns, WhatIsLeftOfOneComesBehindTheBurst) {
    ASSERT_EQ(first(), "1");
    work(3);
    EXPECT_EQ(who_runs(6 * kMs), "");
    EXPECT_EQ(plan_->verdicts[0].by, 9U);
    EXPECT_EQ(who_runs(20 * kMs), "");
    rest(3);
    EXPECT_EQ(who_runs(), "") << "the device is kept for a moment";
    EXPECT_EQ(who_runs(3 * kMs), "1");
    EXPECT_EQ(who_runs(kMs), "1");
    EXPECT_EQ(who_runs(4 * kMs), "2");
}

TEST_F(Turns, WhoHasNoWorkHasNone) {
    ASSERT_EQ(first(), "1");
    rest(0);
    EXPECT_EQ(who_runs(100 * kUs), "1") << "it may only wait for its work";
    EXPECT_EQ(who_runs(200 * kUs), "2");
    rest(1);
    rest(2);
    EXPECT_EQ(who_runs(kMs), "2") << "nobody else wants the device";
    work(0);
    EXPECT_EQ(who_runs(kMs), "1");
}

// A program that works now and then need not wait for all turns of those that always do.
TEST_F(Turns, WhoComesBackGoesFirst) {
    rest(0);
    first();
    for (int i = 0; i < 50; ++i) EXPECT_NE(who_runs(kMs), "1");
    work(0);
    EXPECT_EQ(who_runs(), "1");
    rest(0);
    EXPECT_NE(who_runs(kMs), "");
    EXPECT_NE(who_runs(kMs), "1");
}

// A new unit is owed nothing for the time that other units had before it came, whether it comes with work or not.
TEST_F(Turns, WhoIsNewIsOwedNothing) {
    first();
    for (int i = 0; i < 2000; ++i) who_runs(kMs);
    given_.insert(given_.begin() + 3, {.id = 4, .ready = true, .ready_since_ns = now_ns_});
    given_[3].level = kPreemptLevelInterrupt;
    who_runs(kMs);
    int had = 0;
    for (int i = 0; i < 400; ++i) had += who_runs(kMs) == "4" ? 1 : 0;
    EXPECT_NEAR(had, 100, 35);
}

// A process that comes back again and again gets the device at once only as often as its part of the time allows, since
// each time costs a switch.
TEST_F(Turns, WhoComesBackAllTheTimeGetsNoMore) {
    first();
    int times = 0;
    for (int i = 0; i < 1000; ++i) {
        work(0);
        times += who_runs(500 * kUs) == "1" ? 1 : 0;
        rest(0);
        who_runs(500 * kUs);
    }
    EXPECT_LT(times, 500);
    EXPECT_GT(times, 100);
}

TEST_F(Turns, CopiesGoOnBesideThem) {
    first();
    given_[0].copies = given_[0].completed = 100;
    who_runs(kMs);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(who_runs(10 * kMs), i % 2 == 0 ? "12" : "13") << i;
}

// Test fixture: an urgent unit has bursts of 1 ms every 10 ms, which are foreseen, beside victims that take turns.
class TurnsBesideBursts : public Turns {
protected:
    static constexpr int64_t kRestNs = 9 * kMs;

    TurnsBesideBursts() {
        core_ = hpf_core({.claim_limit_ns = 0, .foresight = Foresight::kHold});
        given_.back().keeps_alive = true;
        for (size_t i = 0; i < 3; ++i) given_[i].costs = {.switch_us = 1, .most_off_us = 3000};
        who_runs();
        for (int i = 0; i < 10; ++i) burst();
    }
    // Runs one burst of the urgent unit, and lets time pass until the device is no longer kept for it.
    void burst() {
        work(3);
        who_runs(kMs);
        rest(3);
        who_runs();
        who_runs(kRestNs / 3);
        who_runs(kRestNs / 3);
        who_runs(kRestNs / 3);
    }
    bool is_held_for() const { return plan_->verdicts[3].hold_until_ns != 0; }
    // Runs a burst, and rests until the next one is due. Returns how long before that the turn last went to another
    // unit, at most 6 ms.
    int64_t changed_before_next() {
        work(3);
        who_runs(kMs);
        rest(3);
        who_runs();
        std::string who = who_runs(kRestNs - 6 * kMs);
        int64_t changed_ns = 6 * kMs;
        for (int64_t left_ns = 6 * kMs; left_ns > 0; left_ns -= 100 * kUs) {
            const std::string now = who_runs(100 * kUs);
            if (now != who) changed_ns = left_ns;
            who = now;
        }
        return changed_ns;
    }
};

// No turn ends within 5 ms before an expected burst: the longest time of a call, and 2 ms until it would be made again;
// nor in the second half of the rhythm, if that is shorter. A burst that came while one unit is taken off and the next
// one is restored would wait for both calls.
TEST_F(TurnsBesideBursts, NoneEndsShortlyBeforeOne) {
    for (int i = 0; i < 50; ++i) EXPECT_GE(changed_before_next(), 4500 * kUs - 200 * kUs) << i;
    EXPECT_TRUE(is_held_for());
}

TEST_F(TurnsBesideBursts, OneEndsAllTheSameIfNoneComes) {
    std::string seen;
    for (int i = 0; i < 40; ++i) {
        const std::string who = who_runs(kMs);
        if (seen.find(who) == std::string::npos) seen += who;
    }
    EXPECT_EQ(seen.size(), 3U) << seen;
}

TEST_F(TurnsBesideBursts, EachGetsItsPart) {
    int64_t had[4] = {};
    for (int i = 0; i < 100; ++i) {
        work(3);
        who_runs(kMs);
        rest(3);
        who_runs();
        for (int k = 0; k < 90; ++k) {
            const std::string who = who_runs(100 * kUs);
            if (who.size() == 1) ++had[who[0] - '0'];
        }
    }
    for (const int victim : {1, 2, 3}) EXPECT_NEAR(static_cast<double>(had[victim]), 2900, 200) << victim;
}

// Half of the time between bursts is left for changes.
TEST_F(TurnsBesideBursts, SoItDoesWhereBurstsComeOften) {
    std::map<std::string, int> had;
    for (int i = 0; i < 400; ++i) {
        work(3);
        who_runs(500 * kUs);
        rest(3);
        who_runs();
        for (int k = 0; k < 40; ++k) ++had[who_runs(100 * kUs)];
    }
    for (const char* victim : {"1", "2", "3"}) EXPECT_NEAR(had[victim], 5000, 600) << victim;
}

// The victim whose turn it is only copies, which needs no switch of the device, so the device is held for the urgent
// unit all the same.
TEST_F(TurnsBesideBursts, TheyAreHeldForBesideOneThatCopies) {
    given_[0].copies = given_[0].completed = 100;
    for (int i = 0; i < 4; ++i) burst();
    changed_before_next();
    EXPECT_TRUE(is_held_for());
}

// While the urgent unit holds the device for its burst, only the victim whose turn it is gets let back.
TEST_F(TurnsBesideBursts, OnlyWhoHasItIsLetBack) {
    for (size_t i = 0; i < 3; ++i) given_[i].command_ns = 30 * kMs;
    for (int i = 0; i < 4; ++i) burst();
    const std::string who = who_runs();
    const auto taken_off = [this] {
        std::string ids;
        for (size_t i = 0; i < 3; ++i)
            if (plan_->verdicts[i].preemption.interrupt != Interrupt::kNone) ids += std::to_string(given_[i].id);
        return ids;
    };
    const std::string others = taken_off();
    ASSERT_EQ(others.size(), 2U) << others;
    work(3);
    given_[3].holds_until_ns = now_ns_ + kMs;
    EXPECT_EQ(who_runs(10 * kUs), "");
    EXPECT_EQ(taken_off(), others);
    EXPECT_EQ(plan_->verdicts[who[0] - '1'].preemption.mechanism, Mechanism::kTimeslice);
    who_runs(2 * kMs);
    EXPECT_EQ(taken_off(), "123") << "the burst goes on";
}

// A victim that seems idle is called off in bursts that are long, and not in all that come after its own turn.
TEST_F(TurnsBesideBursts, WhoSeemsIdleIsTakenOffInLongBurstsAlone) {
    rest(1);
    for (int i = 0; i < 4; ++i) burst();
    work(3);
    who_runs(100 * kUs);
    EXPECT_EQ(plan_->verdicts[1].preemption.interrupt, Interrupt::kNone);
    who_runs(3 * kMs);
    EXPECT_EQ(plan_->verdicts[1].preemption.interrupt, Interrupt::kTakenOff);
}

TEST_F(Turns, QueuesOfOneProcessRunTogether) {
    first();
    std::vector<UnitState> states;
    for (const Given& one : given_) states.push_back(one);
    states[1].unit.process = states[0].unit.process;
    core_.decide(states, now_ns_);
    const WholeCore::Plan& plan = core_.decide(states, now_ns_ += kMs);
    EXPECT_EQ(plan.verdicts[0].suspend, plan.verdicts[1].suspend);
    EXPECT_NE(plan.verdicts[0].suspend, plan.verdicts[2].suspend);
}

// Only the agent of the process whose turn it is must be ready for interrupting calls; the agents of the others
// sleep, also while a more urgent unit has the device.
TEST_F(Turns, OnlyTheOneThatHasItIsQuick) {
    const auto quick = [this] {
        std::string who;
        for (size_t i = 0; i + 1 < given_.size(); ++i)
            if (plan_->verdicts[i].preemption.expect_interrupt) who += std::to_string(given_[i].id);
        return who;
    };
    EXPECT_EQ(first(), "1");
    EXPECT_EQ(quick(), "1");
    work(3);
    EXPECT_EQ(who_runs(kMs), "");
    EXPECT_EQ(quick(), "1");
    rest(3);
    EXPECT_EQ(who_runs(10 * kMs), "1");
    EXPECT_EQ(who_runs(10 * kMs), "2");
    EXPECT_EQ(quick(), "2");
}

// A process with two queues: one only copies, which it may do in all turns, and the other waits for its turn.
TEST_F(Turns, SoIsAProcessOfWhichSomethingRuns) {
    first();
    given_[0].copies = given_[0].completed = 100;
    given_[0].process = given_[1].process = 12;
    for (int i = 0; i < 10 && who_runs(10 * kMs) != "13"; ++i) {
    }
    ASSERT_EQ(who_runs(kMs), "13");
    EXPECT_TRUE(plan_->verdicts[0].preemption.expect_interrupt);
    work(3);
    EXPECT_EQ(who_runs(kMs), "");
    EXPECT_FALSE(plan_->verdicts[0].preemption.expect_interrupt) << "now all of it waits";
}

// Test fixture: victims 1 and 2 share a context, as in a pool, and victim 3 is outside of it.
class TurnsBesideAPool : public Turns {
protected:
    TurnsBesideAPool() {
        for (Given& one : given_) one.costs = kGpu;
        given_[0].level = given_[1].level = kPreemptLevelDeactivate;
    }
    // Returns which victims have a short timeslice.
    std::string short_timeslices() const {
        std::string who;
        for (size_t i = 0; i + 1 < given_.size(); ++i)
            if (plan_->verdicts[i].preemption.timeslice_us != 0) who += std::to_string(given_[i].id);
        return who;
    }
};

TEST_F(TurnsBesideAPool, ThePoolTakesThemAsOne) {
    EXPECT_EQ(first(), "12");
    EXPECT_EQ(who_runs(10 * kMs), "3");
    EXPECT_EQ(plan_->verdicts[0].reason, Reason::kEqualsTurn);
    int64_t had[2] = {};
    for (int i = 0; i < 600; ++i) {
        const std::string who = who_runs(kMs);
        ASSERT_TRUE(who == "12" || who == "3") << who;
        ++had[who == "3" ? 1 : 0];
        ASSERT_EQ(short_timeslices(), "123");
    }
    EXPECT_NEAR(static_cast<double>(had[0]), 300, 11);
}

TEST_F(TurnsBesideAPool, AProgramOfThePoolHasNoTurnOfItsOwn) {
    first();
    rest(1);
    for (int i = 0; i < 30; ++i) who_runs(kMs);
    work(1);
    for (int i = 0; i < 30; ++i) {
        const std::string who = who_runs(kMs);
        EXPECT_TRUE(who == "12" || who == "3") << who;
    }
}

// With a short timeslice the pool would change places with that equal all the time.
TEST_F(TurnsBesideAPool, ThePoolKeepsItsTimesliceBesideAnEqualWithoutTurns) {
    given_[2].level = kPreemptLevelBlock;
    given_[2].costs = {};
    EXPECT_EQ(first(), "123");
    EXPECT_EQ(short_timeslices(), "");
    rest(2);
    given_[2].idle_since_ns = now_ns_ - 5 * kSecond;
    who_runs(kMs);
    who_runs(kMs);
    EXPECT_EQ(short_timeslices(), "12");
}

TEST_F(Turns, NoneWithoutLevel3) {
    given_[1].level = kPreemptLevelDeactivate;
    EXPECT_EQ(first(), "123");
}

TEST_F(Turns, NoneForAGang) {
    for (Given& one : given_) one.gang = one.priority == 0 ? 5 : 0;
    EXPECT_EQ(first(), "123");
}

TEST_F(Turns, NoneWhereNobodyIsMoreUrgent) {
    given_.back().priority = 0;
    EXPECT_EQ(first(), "123");
}

}  // namespace
}  // namespace xsched::sched
