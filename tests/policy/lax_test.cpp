#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::lax_test {
namespace {

using namespace testing;

std::vector<Unit> relaxed_and_other(int64_t laxity_us) {
    std::vector<Unit> units{
        {.id = 1, .device = 1, .process = 1, .wants = true, .ready = true, .ready_since_ns = kSecond},
        {.id = 2, .device = 1, .process = 2, .wants = true, .ready = true}};
    units[0].laxity_us = laxity_us;
    units[0].lax_priority = -10;
    units[0].critical_priority = 10;
    return units;
}

TEST(Lax, WorkThatCanWaitWaitsUntilItCannot) {
    const auto policy = find_policy("LAX")->make();
    const auto units = relaxed_and_other(4000);
    std::vector<Choice> choices(2);
    EXPECT_EQ(policy->choose(units, kSecond + kMs, choices), kSecond + 4 * kMs);
    EXPECT_FALSE(choices[0].run);
    EXPECT_EQ(choices[0].by, 2U);
    EXPECT_TRUE(choices[1].run);
    choices.assign(2, Choice{});
    EXPECT_EQ(policy->choose(units, kSecond + 4 * kMs, choices), 0);
    EXPECT_TRUE(choices[0].run);
    EXPECT_FALSE(choices[1].run);
}

TEST(Lax, WithADeadlineItIsCriticalThatMuchBeforeTheLastMoment) {
    const auto policy = find_policy("LAX")->make();
    auto units = relaxed_and_other(4000);
    units[0].deadline_us = 20'000;
    units[0].command_ns = 2 * kMs;
    std::vector<Choice> choices(2);
    EXPECT_EQ(policy->choose(units, kSecond, choices), kSecond + 14 * kMs);
    EXPECT_FALSE(choices[0].run);
}

// Without a laxity the priority counts. In the original XSched such a program has laxity 0.
TEST(Lax, WithoutALaxityThePriorityCounts) {
    const auto policy = find_policy("LAX")->make();
    auto units = relaxed_and_other(4000);
    units[1].priority = 20;
    std::vector<Choice> choices(2);
    policy->choose(units, kSecond + 5 * kMs, choices);
    EXPECT_FALSE(choices[0].run);
    EXPECT_TRUE(choices[1].run);
}

TEST(Lax, WhoeverHasNoWorkIsNotCritical) {
    const auto policy = find_policy("LAX")->make();
    auto units = relaxed_and_other(4000);
    units[0].ready = false;  // the device is kept for it
    std::vector<Choice> choices(2);
    EXPECT_EQ(policy->choose(units, kSecond + 5 * kMs, choices), 0);
    EXPECT_FALSE(choices[0].run);
}

TEST(Lax, ItCostsTheOtherLessThanPriorityAndIsDoneInTime) {
    VirtualDevice device("LAX");
    Job relaxed{.command_ns = kMs, .commands = 2, .period_ns = 50 * kMs};
    relaxed.unit.deadline_us = 40'000;
    relaxed.unit.laxity_us = 6'000;
    relaxed.unit.lax_priority = -1;
    relaxed.unit.critical_priority = 1;
    device.add(relaxed);
    device.add({.command_ns = 4 * kMs});
    device.run(5 * kSecond);
    EXPECT_EQ(device.job(0).missed, 0);
    EXPECT_GE(device.job(0).lengths_ns[0], 30 * kMs);
}

}  // namespace
}  // namespace xsched::policy::lax_test
