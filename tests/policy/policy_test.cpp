#include "policy/policy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace xsched::policy::policy_test {
namespace {

TEST(Registry, FindsByNameWithoutCase) {
    for (const char* name : {"HPF", "hpf", "hPf"}) {
        const PolicyInfo* info = find_policy(name);
        ASSERT_NE(info, nullptr) << name;
        EXPECT_STREQ(info->name, "HPF");
    }
}

TEST(Registry, FindsNothingElse) {
    for (const char* name : {"", "HP", "HPFF", " HPF", "none"}) EXPECT_EQ(find_policy(name), nullptr) << name;
    EXPECT_EQ(find_policy(nullptr), nullptr);
    EXPECT_EQ(find_policy(kPolicyUnknown), nullptr);
    EXPECT_EQ(find_policy(static_cast<XPolicyType>(4711)), nullptr);
}

TEST(Registry, FindsByType) {
    const PolicyInfo* info = find_policy(kPolicyHighestPriorityFirst);
    ASSERT_NE(info, nullptr);
    EXPECT_STREQ(info->name, "HPF");
}

TEST(Registry, ListsEveryPolicyOnceInOrderOfName) {
    std::string last;
    std::set<XPolicyType> types;
    for (const PolicyInfo& info : policies()) {
        EXPECT_LT(last, info.name);
        last = info.name;
        EXPECT_EQ(find_policy(info.name), &info);
        EXPECT_STRNE(info.summary, "");
        if (info.type == kPolicyUnknown) continue;
        EXPECT_TRUE(types.insert(info.type).second) << info.name << " shares its type with another policy";
        EXPECT_EQ(find_policy(info.type), &info);
    }
    EXPECT_EQ(find_policy(kPolicyUnknown), nullptr);
    EXPECT_EQ(types.count(kPolicyHighestPriorityFirst), 1U);
}

TEST(Registry, EveryPolicyCanBeMadeAndKnowsItsName) {
    for (const PolicyInfo& info : policies()) {
        const auto policy = info.make();
        ASSERT_NE(policy, nullptr) << info.name;
        EXPECT_STREQ(policy->name(), info.name);
    }
}

// Every policy must bear these without harm: it is called for devices with one unit, or with nothing to do.
TEST(Registry, EveryPolicyBearsFewUnits) {
    for (const PolicyInfo& info : policies()) {
        const auto policy = info.make();
        policy->choose({}, 0, {});
        Unit unit{.id = 1, .wants = true};
        Choice choice;
        policy->choose({&unit, 1}, 0, {&choice, 1});
        EXPECT_TRUE(choice.run) << info.name << " does not run the only unit";
        uint8_t mark = 0;
        policy->mark_preemptible({&unit, 1}, {&mark, 1});
        EXPECT_EQ(mark, 0) << info.name;
        policy->forget(unit.device);
    }
}

}  // namespace
}  // namespace xsched::policy::policy_test
