// Tests that a victim's copies run beside predicted bursts. If the bursts copy as well, the victim begins no copy
// shortly before one.
#include "sched/order/copies_beside.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

// A victim that copies, 1, and one that computes, 2, have work without end; an urgent unit, 9, has bursts of 1 ms each
// 10 ms, of which some commands are copies.
class CopiesBeside : public ::testing::Test {
protected:
    enum Who : size_t { kCopier, kComputes, kUrgent };
    static constexpr int64_t kCopyNs = 150 * kUs;

    CopiesBeside() {
        given_.push_back({.id = 1, .ready = true, .ready_since_ns = kStart, .command_ns = kCopyNs});
        given_.push_back({.id = 2, .ready = true, .ready_since_ns = kStart});
        given_.push_back({.id = 9, .priority = 1, .idle_since_ns = kStart - kSecond, .keeps_alive = true});
        for (Given& one : given_) one.level = kPreemptLevelInterrupt;
        look();
        given_[kCopier].copies = given_[kCopier].completed = 100;
        given_[kUrgent].copies = 10, given_[kUrgent].completed = 100;
    }
    void look(int64_t passed_ns = 0) {
        now_ns_ += passed_ns;
        std::vector<UnitState> states;
        for (const Given& one : given_) {
            states.push_back(one);
            states.back().progress_ns = now_ns_;
        }
        if (one_process_) states[kCopier].unit.process = states[kUrgent].unit.process;
        plan_ = &core_.decide(states, now_ns_);
    }
    bool runs(Who who) const { return !plan_->verdicts[who].suspend; }
    int64_t told(Who who) const { return plan_->verdicts[who].copy_burst_ns; }
    // Runs a burst, and rests until `before_ns` before the next one.
    void burst(int64_t before_ns = 0) {
        given_[kUrgent].ready = true;
        given_[kUrgent].ready_since_ns = began_ns_ = now_ns_;
        look(kMs);
        given_[kUrgent].ready = false;
        given_[kUrgent].idle_since_ns = now_ns_;
        look();
        look(4 * kMs);
        look(5 * kMs - before_ns);
    }
    void learn() {
        for (int i = 0; i < 10; ++i) burst();
    }

    WholeCore core_ = hpf_core({.claim_limit_ns = 0, .foresight = Foresight::kHold});
    std::vector<Given> given_;
    int64_t now_ns_ = kStart;
    int64_t began_ns_ = 0;
    bool one_process_ = false;  // the copier's and the urgent one
    const WholeCore::Plan* plan_ = nullptr;
};

TEST_F(CopiesBeside, NoneBeginsThatWouldEndWithinTheBurst) {
    learn();
    burst(300 * kUs);
    EXPECT_TRUE(runs(kCopier));
    EXPECT_LE(plan_->wake_at_ns, now_ns_ + 150 * kUs) << "it ends in time, if no other begins then";
    look(140 * kUs);
    EXPECT_FALSE(runs(kCopier));
    EXPECT_EQ(plan_->verdicts[kCopier].by, 9U);
    EXPECT_EQ(plan_->verdicts[kCopier].reason, Reason::kCopiesWait);
    EXPECT_TRUE(runs(kComputes)) << "its device is held";
}

// Before a foreseen burst that begins with copies, all other processes are told when it is expected, also those that do
// not copy: what the driver does behind freed memory delays copies, too. They are told when it has begun.
TEST_F(CopiesBeside, AllOfOthersAreToldWhenTheNextOneIsForeseenAndThatItHasBegun) {
    EXPECT_EQ(told(kComputes), 0);
    learn();
    for (int i = 0; i < 2; ++i) {
        burst(3 * kMs);
        const int64_t next_ns = now_ns_ + 3 * kMs;
        EXPECT_LE(told(kComputes), next_ns);
        EXPECT_GE(told(kComputes), next_ns - 300 * kUs);
        EXPECT_EQ(told(kCopier), told(kComputes));
        EXPECT_EQ(told(kUrgent), 0);
        look(3 * kMs);
        given_[kUrgent].ready = true;
        given_[kUrgent].ready_since_ns = now_ns_;
        look(100 * kUs);
        EXPECT_EQ(told(kComputes), now_ns_ - 100 * kUs) << "it is under way";
        look(900 * kUs);
        given_[kUrgent].ready = false;
        given_[kUrgent].idle_since_ns = now_ns_;
        look();
        EXPECT_GT(told(kComputes), now_ns_ + 8 * kMs) << "at once, and not only once the device is free";
        look(9 * kMs);
    }
}

TEST_F(CopiesBeside, AllAreToldOfOneThatIsAnnounced) {
    core_ = hpf_core({.claim_limit_ns = 0, .foresight = Foresight::kNone});
    burst();
    given_[kUrgent].expect_ns = now_ns_ + 5 * kMs;
    look(kMs);
    EXPECT_EQ(told(kCopier), given_[kUrgent].expect_ns);
    look(4 * kMs);
    given_[kUrgent].ready = true;
    given_[kUrgent].ready_since_ns = now_ns_;
    look(100 * kUs);
    EXPECT_EQ(told(kCopier), now_ns_ - 100 * kUs);
}

TEST_F(CopiesBeside, NobodyIsToldOfABurstThatCopiesNothing) {
    given_[kUrgent].copies = 0;
    learn();
    burst(50 * kUs);
    EXPECT_EQ(told(kCopier), 0);
}

TEST_F(CopiesBeside, NobodyIsToldOfABurstThatCameUnforeseen) {
    given_[kUrgent].ready = true;
    given_[kUrgent].ready_since_ns = now_ns_;
    look(kMs);
    EXPECT_EQ(told(kCopier), 0) << "it may be work without end";
}

TEST_F(CopiesBeside, ItsOwnProcessIsNotTold) {
    one_process_ = true;
    learn();
    burst(50 * kUs);
    EXPECT_EQ(told(kCopier), 0);
    EXPECT_NE(told(kComputes), 0);
}

TEST_F(CopiesBeside, TheyGoOnIfNoBurstComes) {
    learn();
    burst(100 * kUs);
    ASSERT_FALSE(runs(kCopier));
    look(100 * kUs + kLookNs);
    EXPECT_TRUE(runs(kCopier));
}

TEST_F(CopiesBeside, LongOnesAreKeptOffForAFiftiethOfTheTimeAtMost) {
    given_[kCopier].command_ns = 5 * kMs;
    learn();
    burst(300 * kUs);
    EXPECT_TRUE(runs(kCopier));
    look(120 * kUs);
    EXPECT_FALSE(runs(kCopier));
}

TEST_F(CopiesBeside, TheyGoOnUntilABurstThatCopiesNothing) {
    given_[kUrgent].copies = 0;
    learn();
    burst(50 * kUs);
    EXPECT_TRUE(runs(kCopier));
}

TEST_F(CopiesBeside, OnesOfTheSameUrgencyGoOn) {
    given_[kCopier].priority = 1;
    learn();
    burst(50 * kUs);
    EXPECT_TRUE(runs(kCopier));
}

// Copies of the urgent unit's own process go on before its burst, which may need what they bring.
TEST_F(CopiesBeside, OnesOfTheSameProcessGoOn) {
    one_process_ = true;
    learn();
    burst(50 * kUs);
    EXPECT_TRUE(runs(kCopier));
}

TEST_F(CopiesBeside, TheyGoOnWhereNothingIsForeseen) {
    core_ = hpf_core({.claim_limit_ns = 0, .foresight = Foresight::kNone});
    learn();
    burst(50 * kUs);
    EXPECT_TRUE(runs(kCopier));
}

}  // namespace
}  // namespace xsched::sched
