#include "policy/expr/expr.h"

#include <gtest/gtest.h>

#include <vector>

namespace xsched::policy::expr_test {
namespace {

std::vector<bool> running(const char* line, const std::vector<Unit>& units) {
    std::string error;
    const auto policy = make_expression(line, &error);
    EXPECT_NE(policy, nullptr) << error;
    std::vector<Choice> choices(units.size());
    if (policy != nullptr) policy->choose(units, 1000, choices);
    std::vector<bool> runs;
    for (const Choice& choice : choices) runs.push_back(choice.run);
    return runs;
}

Unit unit(uint64_t id, int32_t priority, int64_t deadline_us, bool wants = true) {
    Unit made{.id = id, .device = 1, .process = id, .wants = wants, .ready = wants};
    made.priority = priority;
    made.deadline_us = deadline_us;
    return made;
}

TEST(Expression, OrdersByItsTermsOneAfterTheOther) {
    const std::vector<Unit> units{unit(1, 1, 500), unit(2, 5, 900), unit(3, 5, 300)};
    EXPECT_EQ(running("priority desc, deadline asc", units), (std::vector<bool>{false, false, true}));
    EXPECT_EQ(running("priority asc", units), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(running(" deadline  desc ", units), (std::vector<bool>{false, true, false}));
}

TEST(Expression, EqualsRunTogether) {
    EXPECT_EQ(running("priority desc", {unit(1, 5, 0), unit(2, 5, 0), unit(3, 1, 0)}),
              (std::vector<bool>{true, true, false}));
}

TEST(Expression, WithoutADeadlineItIsDueLast) {
    EXPECT_EQ(running("deadline asc", {unit(1, 0, 0), unit(2, 0, 3'000'000)}), (std::vector<bool>{false, true}));
}

TEST(Expression, WhoWantsNothingKeepsNobodyOff) {
    EXPECT_EQ(running("priority desc", {unit(1, 5, 0, false), unit(2, 1, 0)}), (std::vector<bool>{true, true}));
}

TEST(Expression, MemoryIsAResourceBesideTime) {
    std::vector<Unit> units{unit(1, 0, 0), unit(2, 0, 0)};
    units[0].memory = units[1].memory_away = units[1].memory_wanted = uint64_t{1} << 30;
    EXPECT_EQ(running("memory desc", units), (std::vector<bool>{true, false}));
    EXPECT_EQ(running("memory_away desc", units), (std::vector<bool>{false, true}));
    EXPECT_EQ(running("memory_wanted asc", units), (std::vector<bool>{true, false}));
}

TEST(Expression, WhatIsNotUnderstoodIsSaid) {
    for (const char* line : {"", " , ", "priority", "priority up", "colour asc", "priority desc asc"}) {
        std::string error;
        EXPECT_EQ(make_expression(line, &error), nullptr) << line;
        EXPECT_NE(error, "") << line;
    }
}

}  // namespace
}  // namespace xsched::policy::expr_test
