// Tests that a victim runs beside the bursts of a more urgent unit once trials have shown that they become hardly
// longer, and only then, and only if both ask for it.
#include "sched/order/beside.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

// Two victims, 1 and 2, have work without end; an urgent unit, 9, has bursts of ten commands each 10 ms. A command
// takes 100 us alone, and as much longer as the test says beside each victim that runs meanwhile.
class Beside : public ::testing::Test {
protected:
    enum Who : size_t { kFirst, kSecondOne, kUrgent };
    static constexpr int kCommands = 10;
    static constexpr int64_t kAloneNs = 100 * kUs;

    Beside() {
        given_.push_back({.id = 1, .ready = true, .ready_since_ns = kStart});
        given_.push_back({.id = 2, .ready = true, .ready_since_ns = kStart});
        given_.push_back({.id = 9, .priority = 1, .idle_since_ns = kStart - kSecond});
        look();
    }
    void look(int64_t passed_ns = 0) {
        now_ns_ += passed_ns;
        std::vector<UnitState> states;
        for (size_t i = 0; i < given_.size(); ++i) {
            states.push_back(given_[i]);
            states.back().progress_ns = now_ns_;
            states.back().unit.side_by_side = asks_[i] ? 1 : 0;
        }
        plan_ = &core_.decide(states, now_ns_);
    }
    bool runs(Who who) const { return !plan_->verdicts[who].suspend; }
    // Returns how many commands each victim had beside this burst.
    void burst() {
        given_[kUrgent].ready = true;
        given_[kUrgent].ready_since_ns = now_ns_;
        look();
        beside_[kFirst] = runs(kFirst);
        beside_[kSecondOne] = runs(kSecondOne);
        const int64_t began_ns = now_ns_;
        for (int i = 0; i < kCommands; ++i) {
            int64_t takes_ns = kAloneNs;
            for (const Who who : {kFirst, kSecondOne})
                if (runs(who)) takes_ns += slower_ns_[who];
            ++given_[kUrgent].completed;
            look(takes_ns);
        }
        lasted_ns_ = now_ns_ - began_ns;
        given_[kUrgent].ready = false;
        given_[kUrgent].idle_since_ns = now_ns_;
        look();
        look(10 * kMs);
    }
    // Returns beside how many of the bursts the victim ran from the begin.
    int beside(Who who, int bursts) {
        int found = 0;
        for (int i = 0; i < bursts; ++i) {
            burst();
            found += beside_[who] ? 1 : 0;
        }
        return found;
    }

    WholeCore core_ = hpf_core({.starvation_limit_ns = 0, .claim_limit_ns = 0});
    std::vector<Given> given_;
    bool asks_[3] = {true, false, true};
    int64_t slower_ns_[2] = {};  // a command beside each victim
    bool beside_[2] = {};
    int64_t lasted_ns_ = 0;
    int64_t now_ns_ = kStart;
    const WholeCore::Plan* plan_ = nullptr;
};

// The samples that a trial compares.
constexpr int kSome = kSampleTimes;

TEST_F(Beside, WhereItCostsNothingItRunsAfterTheTrials) {
    EXPECT_EQ(beside(kFirst, kSome), 0) << "first it is seen how long bursts are without";
    beside(kFirst, 2 * kSome);
    EXPECT_EQ(beside(kFirst, 50), 50);
}

// Queues of an AMD GPU or of a CPU, of every level and without timeslices, are tried as those in a pool are.
TEST_F(Beside, ATrialNeedsNoPool) {
    for (const uint32_t level : {kPreemptLevelBlock, kPreemptLevelDeactivate, kPreemptLevelInterrupt}) {
        for (Given& one : given_) one.level = level;
        slower_ns_[kFirst] = 0;
        beside(kFirst, 600);
        EXPECT_EQ(beside(kFirst, 50), 50) << level;
        slower_ns_[kFirst] = kAloneNs;
        beside(kFirst, 10 * kSome);
        EXPECT_LE(beside(kFirst, 512), 512 / 8) << level << ": as where two programs divide the processors";
    }
}

TEST_F(Beside, AVerdictSaysSo) {
    beside(kFirst, 3 * kSome);
    given_[kUrgent].ready = true;
    given_[kUrgent].ready_since_ns = now_ns_;
    look();
    EXPECT_EQ(plan_->verdicts[kFirst].reason, Reason::kBeside);
    EXPECT_EQ(plan_->verdicts[kSecondOne].reason, Reason::kLessUrgent);
}

TEST_F(Beside, WhereBurstsBecomeLongerItIsTriedSeldom) {
    slower_ns_[kFirst] = 10 * kUs;
    beside(kFirst, 10 * kSome);
    EXPECT_LE(beside(kFirst, 512), 512 / 8) << "two samples, and twice as many bursts without each time";
}

TEST_F(Beside, OneThatIsSurelyLongerIsEnough) {
    slower_ns_[kFirst] = 10 * kMs;
    beside(kFirst, kSome);
    EXPECT_EQ(beside(kFirst, 8 * static_cast<int>(BurstTrial::kNotFor)), 1);
}

TEST_F(Beside, ABurstThatNeverEndsEndsTheTrial) {
    beside(kFirst, kSome);
    given_[kUrgent].ready = true;
    given_[kUrgent].ready_since_ns = now_ns_;
    look();
    ASSERT_TRUE(runs(kFirst));
    for (int i = 0; i < 20; ++i) look(kMs);
    EXPECT_FALSE(runs(kFirst)) << "no command is done";
}

// A program that always has work, such as a server under load, has one burst without end. Whether others run well
// beside it is tried in parts of the burst.
TEST_F(Beside, ABurstWithoutEndIsTriedInParts) {
    given_[kUrgent].ready = true;
    given_[kUrgent].ready_since_ns = now_ns_;
    look();
    const auto goes_on = [this](int64_t takes_ns, int64_t beside_ns) {
        int64_t beside = 0;
        const int64_t end_ns = now_ns_ + kSecond;
        while (now_ns_ < end_ns) {
            const int64_t began_ns = now_ns_;
            const bool is_beside = runs(kFirst);
            look(is_beside ? beside_ns : takes_ns);
            ++given_[kUrgent].completed;
            look();
            if (is_beside) beside += now_ns_ - began_ns;
        }
        return beside;
    };
    goes_on(kMs, kMs);
    EXPECT_EQ(goes_on(kMs, kMs), kSecond);
    for (int i = 0; i < 5; ++i) goes_on(kMs, 8 * kMs);
    EXPECT_LE(goes_on(kMs, 8 * kMs), 2 * kUnseenNs) << "a trial ends with its first stretch";
}

TEST_F(Beside, BothMustAsk) {
    beside(kFirst, 4 * kSome);
    EXPECT_EQ(beside(kSecondOne, 50), 0);
    asks_[kUrgent] = false;
    EXPECT_EQ(beside(kFirst, 50), 0);
}

// Two victims of which each slows the urgent unit only in the other's presence are tried together, and both are kept
// off.
TEST_F(Beside, VictimsAreTriedTogether) {
    asks_[kSecondOne] = true;
    slower_ns_[kFirst] = slower_ns_[kSecondOne] = 4 * kUs;
    beside(kFirst, 10 * kSome);
    EXPECT_LE(beside(kFirst, 512), 512 / 8);
    EXPECT_LE(beside(kSecondOne, 512), 512 / 8);
}

TEST_F(Beside, WhatBecomesDearLaterIsSeen) {
    beside(kFirst, 4 * kSome);
    slower_ns_[kFirst] = 10 * kUs;
    beside(kFirst, 4 * kSome);
    EXPECT_LE(beside(kFirst, 100), 2 * kSome);
}

TEST_F(Beside, NotWithinOneProcess) {
    given_[kFirst].process = given_[kUrgent].process = 5;
    EXPECT_EQ(beside(kFirst, 5 * kSome), 0);
}

}  // namespace
}  // namespace xsched::sched
