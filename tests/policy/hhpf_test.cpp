#include <gtest/gtest.h>

#include "policy/policy.h"

namespace xsched::policy::hhpf_test {
namespace {

Unit unit(uint64_t id, uint64_t device, int32_t priority, bool wants = true) {
    Unit made{.id = id, .device = device, .process = id, .wants = wants};
    made.priority = priority;
    return made;
}

class Hhpf : public ::testing::Test {
protected:
    std::vector<Choice> choose(const std::vector<Unit>& units) {
        std::vector<Choice> choices(units.size());
        policy_->choose(units, 1000, choices);
        return choices;
    }
    std::unique_ptr<Policy> policy_ = find_policy("HHPF")->make();
};

TEST_F(Hhpf, TheMostUrgentOnAnyDeviceKeepsTheOthersOffEverywhere) {
    EXPECT_TRUE(policy_->spans_devices());
    EXPECT_TRUE(choose({unit(1, 1, 0)})[0].run);
    const uint64_t before = policy_->across();
    EXPECT_TRUE(choose({unit(2, 2, 5)})[0].run);
    EXPECT_NE(policy_->across(), before) << "the first device is to be decided again";
    const auto first = choose({unit(1, 1, 0), unit(3, 1, 5)});
    EXPECT_FALSE(first[0].run);
    EXPECT_EQ(first[0].by, 2U);
    EXPECT_TRUE(first[1].run);
}

TEST_F(Hhpf, OnceItHasNoWorkTheOthersGoOn) {
    choose({unit(2, 2, 5)});
    EXPECT_FALSE(choose({unit(1, 1, 0)})[0].run);
    choose({unit(2, 2, 5, false)});
    EXPECT_TRUE(choose({unit(1, 1, 0)})[0].run);
}

TEST_F(Hhpf, ADeviceThatIsGoneCountsNoMore) {
    choose({unit(2, 2, 5)});
    const uint64_t before = policy_->across();
    policy_->forget(2);
    EXPECT_NE(policy_->across(), before);
    EXPECT_TRUE(choose({unit(1, 1, 0)})[0].run);
}

TEST_F(Hhpf, AUnitAloneOnItsDeviceCanBeSuspendedToo) {
    choose({unit(2, 2, 5, false)});
    const std::vector<Unit> units{unit(1, 1, 0)};
    std::vector<uint8_t> marks(1, 0);
    policy_->mark_preemptible(units, marks);
    EXPECT_EQ(marks[0], 1);
}

TEST_F(Hhpf, WhatDoesNotMatterElsewhereAsksForNothing) {
    choose({unit(2, 2, 5), unit(3, 2, 0)});
    choose({unit(1, 1, 0)});
    const uint64_t before = policy_->across();
    choose({unit(1, 1, 0, false)});
    choose({unit(2, 2, 5), unit(3, 2, 0, false)});
    EXPECT_EQ(policy_->across(), before);
}

}  // namespace
}  // namespace xsched::policy::hhpf_test
