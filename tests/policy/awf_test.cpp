#include <gtest/gtest.h>

#include "policy/policy.h"

namespace xsched::policy::awf_test {
namespace {

Unit unit(uint64_t id, uint64_t process, int32_t window, bool wants = true) {
    Unit made{.id = id, .device = 1, .process = process, .wants = wants};
    made.window = window;
    return made;
}

std::vector<bool> running(const std::vector<Unit>& units) {
    std::vector<Choice> choices(units.size());
    EXPECT_EQ(find_policy("AWF")->make()->choose(units, 1000, choices), 0);
    std::vector<bool> runs;
    for (const Choice& choice : choices) runs.push_back(choice.run);
    return runs;
}

TEST(Awf, TheProgramOfTheActiveWindowRunsAlone) {
    EXPECT_EQ(running({unit(1, 1, 0), unit(2, 2, 1), unit(3, 3, 0)}), (std::vector<bool>{false, true, false}));
}

TEST(Awf, AllOfItsQueuesDo) {
    EXPECT_EQ(running({unit(1, 2, 0), unit(2, 2, 1), unit(3, 3, 0)}), (std::vector<bool>{true, true, false}));
}

TEST(Awf, WithoutWorkItKeepsNobodyOff) {
    EXPECT_EQ(running({unit(1, 1, 0), unit(2, 2, 1, false)}), (std::vector<bool>{true, true}));
}

TEST(Awf, WithoutAnActiveWindowAllRun) {
    EXPECT_EQ(running({unit(1, 1, 0), unit(2, 2, 0)}), (std::vector<bool>{true, true}));
}

TEST(Awf, SeveralMayBeActive) {
    EXPECT_EQ(running({unit(1, 1, 1), unit(2, 2, 1), unit(3, 3, 0)}), (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace xsched::policy::awf_test
