// Policies from a library's description, and what they are thrown out for.
#include "server/loaded_policy.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sched/core/core.h"

namespace xsched::server {
namespace {

using policy::Choice;
using policy::Unit;
using sched::UnitState;

using Choose = int64_t (*)(void*, const XPolicyUnit*, size_t, int64_t, XPolicyChoice*);

XPolicyModule module_of(Choose choose) {
    return {.abi = XSCHED_POLICY_ABI,
            .unit_bytes = sizeof(XPolicyUnit),
            .name = "MINE",
            .summary = "a policy of the test",
            .create = nullptr,
            .choose = choose,
            .forget = nullptr,
            .destroy = nullptr};
}

std::vector<Unit> two_units() {
    std::vector<Unit> units{{.id = 1, .device = 7, .process = 1, .wants = true, .ready = true},
                            {.id = 2, .device = 7, .process = 2, .wants = true, .ready = true}};
    units[1].priority = 5;
    return units;
}

// A policy function that lets only the first unit run.
int64_t first_alone(void* /*state*/, const XPolicyUnit* units, size_t count, int64_t now_ns, XPolicyChoice* choices) {
    for (size_t i = 1; i < count; ++i) choices[i] = {units[0].id, 0, 0};
    return now_ns + 5;
}

const char* breach_after(Choose choose, int64_t later_ns = 0) {
    const XPolicyModule module = module_of(choose);
    const auto made = make_loaded(module, nullptr);
    const std::vector<Unit> units = two_units();
    std::vector<Choice> choices(2);
    made->choose(units, base::kSecond, choices);
    if (later_ns != 0) made->choose(units, base::kSecond + later_ns, choices);
    return made->breach();
}

TEST(LoadedPolicy, ItsAnswersCount) {
    const XPolicyModule module = module_of(first_alone);
    const auto made = make_loaded(module, nullptr);
    std::vector<Choice> choices(2);
    EXPECT_EQ(made->choose(two_units(), 1000, choices), 1005);
    EXPECT_TRUE(choices[0].run);
    EXPECT_FALSE(choices[1].run);
    EXPECT_EQ(choices[1].by, 1U);
    EXPECT_EQ(made->breach(), nullptr);
}

TEST(LoadedPolicy, ItMayKnowLessOfAUnit) {
    XPolicyModule module =
        module_of([](void*, const XPolicyUnit* units, size_t count, int64_t, XPolicyChoice* choices) {
            const auto* second = reinterpret_cast<const XPolicyUnit*>(reinterpret_cast<const char*>(units) + 24);
            if (count == 2 && second->id == 2 && second->process == 2) choices[0].run = 0;
            return int64_t{0};
        });
    module.unit_bytes = 24;
    std::vector<Choice> choices(2);
    make_loaded(module, nullptr)->choose(two_units(), 1000, choices);
    EXPECT_FALSE(choices[0].run);
}

TEST(LoadedPolicy, StateIsItsOwn) {
    static int lives = 0;
    XPolicyModule module = module_of([](void* state, const XPolicyUnit*, size_t, int64_t, XPolicyChoice*) {
        ++*static_cast<int*>(state);
        return int64_t{0};
    });
    module.create = []() -> void* { return &++lives; };
    module.destroy = [](void* state) { *static_cast<int*>(state) = -1; };
    std::vector<Choice> choices(2);
    {
        const auto made = make_loaded(module, nullptr);
        made->choose(two_units(), 1000, choices);
        EXPECT_EQ(lives, 2);
    }
    EXPECT_EQ(lives, -1);
}

TEST(LoadedPolicy, WhatIsNoAnswerIsABreach) {
    EXPECT_STREQ(breach_after([](void*, const XPolicyUnit*, size_t, int64_t, XPolicyChoice* choices) {
                     choices[1].run = 2;
                     return int64_t{0};
                 }),
                 "gave an answer that is neither 0 nor 1");
    EXPECT_STREQ(breach_after([](void*, const XPolicyUnit*, size_t, int64_t now_ns, XPolicyChoice*) { return now_ns; }),
                 "asked to decide again at a time that had passed");
}

TEST(LoadedPolicy, SoIsADecisionOfMoreThanTenMilliseconds) {
    EXPECT_STREQ(breach_after([](void*, const XPolicyUnit*, size_t, int64_t, XPolicyChoice*) {
                     const auto worked_ns = [] {
                         timespec time{};
                         clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
                         return time.tv_sec * base::kSecond + time.tv_nsec;
                     };
                     for (const int64_t until_ns = worked_ns() + 15 * base::kMillisecond; worked_ns() < until_ns;) {
                     }
                     return int64_t{0};
                 }),
                 "took longer than 10 ms to decide");
}

TEST(LoadedPolicy, SoAreThreeInARowThatSleepForLonger) {
    static const XPolicyModule kModule = module_of([](void*, const XPolicyUnit*, size_t, int64_t, XPolicyChoice*) {
        const timespec time{.tv_sec = 0, .tv_nsec = 15 * base::kMillisecond};
        nanosleep(&time, nullptr);
        return int64_t{0};
    });
    const auto made = make_loaded(kModule, nullptr);
    std::vector<Choice> choices(2);
    for (int i = 1; i <= 3; ++i) made->choose(two_units(), i * base::kSecond, choices);
    EXPECT_STREQ(made->breach(), "took longer than 10 ms to decide");
}

// The starvation limit gives the unit a turn every second, in which the unit completes all of its work and is idle
// for a moment.
TEST(LoadedPolicy, AUnitStarvesAlsoWhereItIsIdleForAMoment) {
    static const XPolicyModule kModule = module_of(first_alone);
    const auto made = make_loaded(kModule, nullptr);
    std::vector<policy::Unit> units = two_units();
    std::vector<policy::Choice> choices(2);
    int64_t second = 0;
    for (; second < 30 && made->breach() == nullptr; ++second) {
        for (const bool ready : {true, false}) {
            units[1].ready = units[1].wants = ready;
            made->choose(units, (second + 1) * base::kSecond + (ready ? 0 : 900) * base::kMillisecond, choices);
        }
    }
    EXPECT_STREQ(made->breach(), "let a unit with work wait for 10 s");
    EXPECT_GT(second, 10);
}

TEST(LoadedPolicy, SoIsAUnitThatStarves) {
    EXPECT_EQ(breach_after(first_alone, 9 * base::kSecond), nullptr);
    EXPECT_STREQ(breach_after(first_alone, 10 * base::kSecond), "let a unit with work wait for 10 s");
}

// If a policy breaks its contract, the core replaces it by the default policy within the same decision.
TEST(LoadedPolicy, AfterABreachTheDefaultTakesOver) {
    static const XPolicyModule kModule =
        module_of([](void*, const XPolicyUnit*, size_t count, int64_t, XPolicyChoice* choices) {
            for (size_t i = 0; i < count; ++i) choices[i].run = -1;
            return int64_t{0};
        });
    auto made = make_loaded(kModule, nullptr);
    made->set_name("MINE");
    sched::Core core(std::move(made));
    std::vector<UnitState> units(2);
    for (size_t i = 0; i < 2; ++i) {
        units[i].unit = two_units()[i];
        units[i].ready = true;
        units[i].group = i + 1;
    }
    const sched::Plan plan = core.decide({.device = 7, .units = units}, base::kSecond);
    EXPECT_STREQ(core.thrown_out(), "MINE");
    EXPECT_STREQ(core.why_thrown_out(), "gave an answer that is neither 0 nor 1");
    EXPECT_STREQ(core.policy_name(), "HPF");
    EXPECT_TRUE(plan.verdicts[0].suspend);
    EXPECT_FALSE(plan.verdicts[1].suspend);
}

TEST(LoadedPolicy, WhoeverFindsItInsideKnowsWhatEndedTheServer) {
    static std::atomic<uint32_t> inside{0};
    static uint32_t seen = 0;
    const XPolicyModule module = module_of([](void*, const XPolicyUnit*, size_t, int64_t, XPolicyChoice*) {
        seen = inside.load();
        return int64_t{0};
    });
    std::vector<Choice> choices(2);
    make_loaded(module, &inside)->choose(two_units(), 1000, choices);
    EXPECT_EQ(seen, 1U);
    EXPECT_EQ(inside.load(), 0U);
}

TEST(LoadedPolicy, WhatCannotBeLoadedIsSaid) {
    EXPECT_THROW(load_policy("./there_is_none.so", nullptr), std::runtime_error);
    EXPECT_THROW(register_expression("priority up"), std::runtime_error);
}

TEST(LoadedPolicy, AnExpressionIsFoundByName) {
    ASSERT_EQ(register_expression("priority asc"), "EXPR");
    const policy::PolicyInfo* info = policy::find_policy("expr");
    ASSERT_NE(info, nullptr);
    EXPECT_STREQ(info->summary, "priority asc");
    std::vector<Choice> choices(2);
    info->make()->choose(two_units(), 1000, choices);
    EXPECT_FALSE(choices[1].run);
    EXPECT_THROW(register_expression("priority desc"), std::runtime_error) << "there is one already";
}

}  // namespace
}  // namespace xsched::server
