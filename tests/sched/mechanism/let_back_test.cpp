// A victim that was taken off is let back before the end of a burst, while the urgent process holds the device.
#include <gtest/gtest.h>

#include "sched/given_units.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

class LetBack : public ::testing::Test {
protected:
    // Gives the victim long commands, and takes it off by a call.
    void SetUp() override {
        for (UnitState* unit : {&low_, &high_}) {
            unit->level = kPreemptLevelInterrupt;
            unit->costs = kGpu;
            unit->unit.device = 1;
        }
        low_.unit.id = low_.unit.process = low_.group = 1;
        low_.unit.command_ns = 30 * kMs;
        low_.ready = true;
        high_.unit.id = high_.unit.process = high_.group = 2;
        high_.unit.priority = 1;
        high_.unit.command_ns = 10 * kUs;
        for (int i = 0; i < 20; ++i) {  // short pauses: it does not use the device in one stretch
            work();
            pass(30 * kUs);
            rest();
            pass(30 * kUs);
        }
        rest();
        pass(10 * kMs);
        work();
        pass(kMs);
        ASSERT_TRUE(low().suspend);
        ASSERT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
        ASSERT_NE(low().preemption.timeslice_us, 0U);
    }
    void work() {
        high_.ready = true;
        high_.unit.ready_since_ns = now_ns_;
    }
    void rest() {
        high_.ready = false;
        high_.idle_since_ns = now_ns_;
    }
    void pass(int64_t ns) {
        now_ns_ += ns;
        ++high_.completed;
        const UnitState units[] = {low_, high_};
        plan_ = &core_.decide(units, now_ns_);
    }
    void holds(int64_t ns) { high_.holds_until_ns = now_ns_ + ns; }
    const Verdict& low() const { return plan_->verdicts[0]; }

    UnitState low_;
    UnitState high_;
    int64_t now_ns_ = kStart;
    WholeCore core_ = hpf_core();
    const WholeCore::Plan* plan_ = nullptr;
};

TEST_F(LetBack, WhileTheDeviceIsHeld) {
    holds(500 * kUs);
    pass(10 * kUs);
    EXPECT_TRUE(low().suspend) << "its gate stays closed";
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kNone);
    EXPECT_EQ(low().preemption.mechanism, Mechanism::kTimeslice);
    EXPECT_FALSE(low().preemption.on_its_way);
}

TEST_F(LetBack, TakenOffAgainIfTheBurstGoesOn) {
    holds(500 * kUs);
    pass(10 * kUs);
    const int64_t until_ns = high_.holds_until_ns;
    EXPECT_LE(plan_->wake_at_ns, until_ns);
    pass(until_ns - now_ns_);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
    EXPECT_EQ(low().preemption.mechanism, Mechanism::kInterrupt);
}

// When the hold ends, the urgent unit pauses: its burst may be over or may go on. If it works again, the victim is
// taken off again.
TEST_F(LetBack, TakenOffAgainOnceItWorksAgain) {
    holds(500 * kUs);
    pass(10 * kUs);
    rest();
    pass(500 * kUs);
    if (low().suspend) {
        EXPECT_EQ(low().preemption.interrupt, Interrupt::kNone);
    }
    work();
    pass(10 * kUs);
    ASSERT_TRUE(low().suspend);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
}

// If keep-alives hold the device from the begin of the burst to its end, no victim is taken off by a call.
TEST_F(LetBack, NobodyCallsWhereTheDeviceIsHeldThroughTheBurst) {
    rest();
    pass(10 * kMs);
    ASSERT_FALSE(low().suspend);
    high_.keeps_alive = true;
    work();
    holds(900 * kUs);
    pass(10 * kUs);
    EXPECT_TRUE(low().suspend);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kNone);
    EXPECT_EQ(low().preemption.mechanism, Mechanism::kTimeslice);
    EXPECT_FALSE(low().preemption.on_its_way) << "its pauses are bridged";
    pass(900 * kUs);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kTakenOff) << "it lasts longer";
}

// A victim seemed idle but made a burst longer than usual: it counts as having work for a while, so it is not let
// back.
TEST_F(LetBack, NobodyCallsWhoMayWorkUnseenEither) {
    low_.ready = false;
    low_.progress_ns = now_ns_;
    rest();
    pass(10 * kMs);
    work();
    pass(kMs);
    pass(50 * kMs);
    ASSERT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
    rest();
    pass(10 * kMs);
    ASSERT_FALSE(low().suspend);
    work();
    holds(900 * kUs);
    pass(10 * kUs);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kNone);
    pass(900 * kUs);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
}

TEST_F(LetBack, ItsCandidatesSayWhatEachWayWasExpectedToLose) {
    const Candidates& ways = low().candidates;
    ASSERT_EQ(ways[2].mechanism, Mechanism::kInterrupt);
    EXPECT_LT(ways[2].urgent_us, ways[0].urgent_us) << "its gate: half of a command of 30 ms, and it comes back";
    EXPECT_LT(ways[2].urgent_us, ways[1].urgent_us) << "its timeslice: it comes back in each pause";
    EXPECT_EQ(ways[2].victim_us, low_.costs.interrupt_us);
}

TEST_F(LetBack, NotWithoutAHold) {
    pass(10 * kUs);
    EXPECT_EQ(low().preemption.interrupt, Interrupt::kTakenOff);
}

// Long bursts, each of which pauses without a wait: their end is foreseen, where the program can hold the device to it.
class BesideLongBursts : public LetBack {
protected:
    void SetUp() override { core_ = hpf_core({.claim_limit_ns = 0, .foresight = Foresight::kHold}); }
    Mechanism beside_commands_of(int64_t ns, bool keeps_alive = true) {
        LetBack::SetUp();
        low_.unit.command_ns = ns;
        high_.keeps_alive = keeps_alive;
        for (unsigned i = 0; i < 3 * enough_times(); ++i) {
            for (const int64_t end_ns = now_ns_ + 6 * kMs; now_ns_ < end_ns;) {
                work();
                pass(10 * kUs);
                rest();
                pass(60 * kUs);
            }
            pass(4 * kMs);
        }
        work();
        pass(10 * kUs);
        return low().preemption.mechanism;
    }
};

TEST_F(BesideLongBursts, GatesStandFarApart) {
    for (const int64_t command_ns : {20 * kUs, 50 * kUs, 200 * kUs}) {
        EXPECT_EQ(beside_commands_of(command_ns), Mechanism::kGate) << command_ns;
        EXPECT_GT(low().preemption.gates_apart_us, 200U);
    }
}
TEST_F(BesideLongBursts, ButAsUsualWhereTheirEndIsNotForeseen) {
    EXPECT_EQ(beside_commands_of(50 * kUs, false), Mechanism::kGate);
    EXPECT_EQ(low().preemption.gates_apart_us, 0U);
}

// A victim that was let back beside an equal would change places with the equal at the rate of their short timeslices.
TEST_F(LetBack, NotBesideAnEqual) {
    UnitState equal = low_;
    equal.unit.id = equal.unit.process = equal.group = 3;
    equal.level = kPreemptLevelDeactivate;
    equal.costs = {};
    const UnitState three[] = {low_, high_, equal};
    core_.decide(three, now_ns_ += kMs);
    UnitState held = high_;
    held.holds_until_ns = now_ns_ + kMs;
    const UnitState units[] = {low_, held, equal};
    const WholeCore::Plan& plan = core_.decide(units, now_ns_ += 10 * kUs);
    EXPECT_EQ(plan.verdicts[0].preemption.interrupt, Interrupt::kTakenOff);
}

}  // namespace
}  // namespace xsched::sched
