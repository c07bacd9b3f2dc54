#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::kedf_test {
namespace {

using namespace testing;

Unit unit(uint64_t id, int64_t deadline_us, int64_t ready_since_ns = kSecond, bool ready = true) {
    Unit made{.id = id, .device = 1, .process = id, .wants = ready, .ready = ready, .ready_since_ns = ready_since_ns};
    made.deadline_us = deadline_us;
    return made;
}

struct Decision {
    std::vector<Choice> choices;
    int64_t again_ns;
};
Decision decide(const std::vector<Unit>& units, int64_t now_ns = kSecond) {
    Decision decision{std::vector<Choice>(units.size()), 0};
    decision.again_ns = find_policy("KEDF")->make()->choose(units, now_ns, decision.choices);
    return decision;
}

TEST(Kedf, TheEarliestDeadlineRuns) {
    const auto decision = decide({unit(1, 9000), unit(2, 3000), unit(3, 5000)});
    EXPECT_FALSE(decision.choices[0].run);
    EXPECT_TRUE(decision.choices[1].run);
    EXPECT_FALSE(decision.choices[2].run);
    EXPECT_EQ(decision.choices[0].by, 2U);
    EXPECT_EQ(decision.again_ns, kSecond + 3 * kMs + 1) << "when the first of them is late";
}

TEST(Kedf, AsManyRunAsTheHintSays) {
    std::vector<Unit> units{unit(1, 9000), unit(2, 3000), unit(3, 5000)};
    units[0].k_deadline = 2;
    const auto decision = decide(units);
    EXPECT_FALSE(decision.choices[0].run);
    EXPECT_TRUE(decision.choices[1].run);
    EXPECT_TRUE(decision.choices[2].run);
}

TEST(Kedf, WithoutADeadlineItGoesLast) {
    const auto decision = decide({unit(1, 0, 0), unit(2, 3'000'000)});
    EXPECT_FALSE(decision.choices[0].run);
    EXPECT_TRUE(decision.choices[1].run);
}

TEST(Kedf, WithoutAnyDeadlineAllRun) {
    for (const Choice& choice : decide({unit(1, 0), unit(2, 0), unit(3, 0)}).choices) EXPECT_TRUE(choice.run);
}

// Late work goes behind work that can still be in time. In the original XSched late work stays first and makes all
// others late.
TEST(Kedf, LateWorkGoesBehindWhatCanBeOnTimeAndIsNamed) {
    const auto decision = decide({unit(1, 1000, kSecond - 2 * kMs), unit(2, 3000), unit(3, 0)});
    EXPECT_FALSE(decision.choices[0].run);
    EXPECT_EQ(decision.choices[0].why, Why::kLate);
    EXPECT_TRUE(decision.choices[1].run);
    const auto alone = decide({unit(1, 1000, kSecond - 2 * kMs), unit(3, 0)});
    EXPECT_TRUE(alone.choices[0].run);
    EXPECT_FALSE(alone.choices[1].run);
}

TEST(Kedf, WhoeverIsIdleMayBeginIfItWouldBeFirst) {
    const auto decision = decide({unit(1, 5000), unit(2, 2000, 0, false), unit(3, 8000, 0, false)});
    EXPECT_TRUE(decision.choices[1].run);
    EXPECT_FALSE(decision.choices[2].run);
}

TEST(Kedf, AProgramsQueuesRunTogether) {
    std::vector<Unit> units{unit(1, 9000), unit(2, 3000), unit(3, 5000)};
    units[0].process = units[1].process = 20;
    const auto decision = decide(units);
    EXPECT_TRUE(decision.choices[0].run);
    EXPECT_TRUE(decision.choices[1].run);
    EXPECT_FALSE(decision.choices[2].run);
}

Job periodic(int64_t period_ns, int64_t commands) {
    Job job{.command_ns = kMs, .commands = commands, .period_ns = period_ns};
    job.unit.deadline_us = period_ns / 1000;
    return job;
}

TEST(Kedf, AllDeadlinesAreMetAtFourFifthsOfTheDevice) {
    VirtualDevice device("KEDF");
    device.add(periodic(10 * kMs, 3));   // 30 %
    device.add(periodic(25 * kMs, 5));   // 20 %
    device.add(periodic(100 * kMs, 30)); // 30 %
    device.add({.command_ns = kMs});     // takes what is left
    device.run(20 * kSecond);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_GT(device.job(i).bursts, 100);
        EXPECT_EQ(device.job(i).missed, 0) << i;
    }
    EXPECT_GT(device.part(3, 0, 200), 15);
}

TEST(Kedf, WhoAsksForTooMuchDoesNotMakeOthersLate) {
    VirtualDevice device("KEDF", {periodic(10 * kMs, 3)});
    Job& too_much = device.add(periodic(20 * kMs, 400));
    too_much.unit.deadline_us = 20'000;
    device.run(10 * kSecond);
    EXPECT_LT(device.job(0).missed, device.job(0).bursts / 20) << "but for the moment in which that was not late yet";
    EXPECT_GT(device.job(1).missed, 0);
    EXPECT_GT(device.part(1, 0, 100), 50);
}

}  // namespace
}  // namespace xsched::policy::kedf_test
