// Tests of device-time limits: the core enforces them under every policy that does not do so itself, and follows the
// answers of policies that do.
#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

class CoreLimits : public ::testing::Test {
protected:
    CoreLimits() {
        limited_.unit.limit = 20;
        limited_.unit.priority = 5;
    }
    // Returns the limited unit's verdict `passed_ns` later, after it has used `used_ns` of the device.
    const Verdict& after(int64_t passed_ns, int64_t used_ns, bool other = false) {
        now_ns_ += passed_ns;
        limited_.unit.busy_ns += used_ns;
        limited_.progress_ns = now_ns_;
        std::vector<UnitState> states{limited_};
        if (other) states.push_back(Given{.id = 2, .ready = true, .ready_since_ns = kStart});
        plan_ = core_.decide(states, now_ns_);
        return plan_.verdicts[0];
    }

    WholeCore core_ = hpf_core();
    WholeCore::Plan plan_;
    UnitState limited_ = Given{.id = 1, .ready = true, .ready_since_ns = kStart};
    int64_t now_ns_ = kStart;
};

TEST_F(CoreLimits, WhoIsAloneIsFollowedAndStopped) {
    EXPECT_TRUE(after(0, 0).preemptible) << "its process is to keep little in flight";
    EXPECT_TRUE(after(kMs, 0).watched);
    EXPECT_FALSE(after(kMs, 0).suspend);
    const Verdict stopped = after(20 * kMs, 20 * kMs);
    EXPECT_TRUE(stopped.suspend);
    EXPECT_EQ(stopped.reason, Reason::kLimited);
    EXPECT_EQ(stopped.by, 0U);
    EXPECT_GT(plan_.wake_at_ns, now_ns_);
    EXPECT_FALSE(after(plan_.wake_at_ns - now_ns_, 0).suspend);
}

TEST_F(CoreLimits, TheMostUrgentMakesRoomWhenItHasHadItsOwn) {
    after(0, 0, true);
    EXPECT_FALSE(after(kMs, kMs, true).suspend);
    EXPECT_TRUE(plan_.verdicts[1].suspend);
    EXPECT_TRUE(after(20 * kMs, 20 * kMs, true).suspend);
    EXPECT_FALSE(plan_.verdicts[1].suspend);
}

TEST_F(CoreLimits, NoTurnAgainstStarvationGoesBeyondIt) {
    after(0, 0);
    ASSERT_TRUE(after(kSecond, kSecond).suspend);
    EXPECT_TRUE(after(2 * kSecond, 0).suspend);
    EXPECT_EQ(core_.thrown_out(), nullptr) << "it is not the policy's fault";
}

TEST_F(CoreLimits, ALimitThatComesAndGoesIsHeldFromThenOn) {
    limited_.unit.limit = 0;
    EXPECT_FALSE(after(0, 0).preemptible);
    limited_.unit.limit = 20;
    EXPECT_TRUE(after(kMs, kMs).preemptible);
    EXPECT_TRUE(after(30 * kMs, 30 * kMs).suspend);
    limited_.unit.limit = 0;
    EXPECT_FALSE(after(kMs, 0).suspend);
    EXPECT_FALSE(after(kMs, 0).preemptible);
}

// Use without a limit is not charged to the next one: a program stood for 10 s.
TEST_F(CoreLimits, WhatWasUsedWithoutALimitIsNotPaidBack) {
    after(0, 0);
    EXPECT_FALSE(after(kMs, kMs).suspend);
    limited_.unit.limit = 0;
    EXPECT_FALSE(after(kMs, 0).suspend);
    EXPECT_FALSE(after(12 * kSecond, 12 * kSecond).suspend);
    limited_.unit.limit = 20;
    EXPECT_FALSE(after(kMs, kMs).suspend);
    EXPECT_TRUE(after(30 * kMs, 30 * kMs).suspend);
    EXPECT_FALSE(after(200 * kMs, 0).suspend);
}

}  // namespace
}  // namespace xsched::sched
