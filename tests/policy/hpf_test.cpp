#include <gtest/gtest.h>

#include <vector>

#include "policy/policy.h"

namespace xsched::policy::hpf_test {
namespace {

Unit unit(uint64_t id, int32_t priority, bool wants) {
    Unit made{.id = id, .wants = wants};
    made.priority = priority;
    return made;
}

std::vector<Choice> choose(const std::vector<Unit>& units) {
    const auto policy = find_policy("HPF")->make();
    std::vector<Choice> choices(units.size());
    EXPECT_EQ(policy->choose(units, 1000, choices), 0) << "HPF never changes its mind by itself";
    return choices;
}

std::vector<bool> runs(const std::vector<Choice>& choices) {
    std::vector<bool> all;
    for (const Choice& choice : choices) all.push_back(choice.run);
    return all;
}

TEST(Hpf, TheMostUrgentWithWorkRuns) {
    const auto choices = choose({unit(1, 0, true), unit(2, 10, true), unit(3, 5, true)});
    EXPECT_EQ(runs(choices), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(choices[0].by, 2U);
    EXPECT_EQ(choices[2].by, 2U);
}

TEST(Hpf, EqualsRunTogether) {
    const auto choices = choose({unit(1, 10, true), unit(2, 10, true), unit(3, 9, true)});
    EXPECT_EQ(runs(choices), (std::vector<bool>{true, true, false}));
    EXPECT_EQ(choices[2].by, 1U);
}

TEST(Hpf, WhoWantsNothingKeepsNobodyOff) {
    const auto choices = choose({unit(1, 10, false), unit(2, 0, true)});
    EXPECT_TRUE(choices[0].run);
    EXPECT_TRUE(choices[1].run);
}

TEST(Hpf, TheIdleAndLessUrgentIsKeptOffBeforehand) {
    const auto choices = choose({unit(1, 10, true), unit(2, 0, false)});
    EXPECT_FALSE(choices[1].run);
    EXPECT_EQ(choices[1].by, 1U);
}

TEST(Hpf, WithoutWorkEverybodyMayRun) {
    for (const Choice& choice : choose({unit(1, 10, false), unit(2, 0, false)})) EXPECT_TRUE(choice.run);
}

TEST(Hpf, NegativePrioritiesAreOrderedToo) {
    const auto choices = choose({unit(1, -255, true), unit(2, -254, true)});
    EXPECT_FALSE(choices[0].run);
    EXPECT_TRUE(choices[1].run);
}

TEST(Hpf, OnlyTheLessUrgentCanEverBeSuspended) {
    const auto policy = find_policy("HPF")->make();
    const std::vector<Unit> units{unit(1, 10, false), unit(2, 10, false), unit(3, 0, true)};
    std::vector<uint8_t> marks(3, 0);
    policy->mark_preemptible(units, marks);
    EXPECT_EQ(marks, (std::vector<uint8_t>{0, 0, 1}));
}

}  // namespace
}  // namespace xsched::policy::hpf_test
