#include <gtest/gtest.h>

#include "policy/policy.h"

namespace xsched::policy::chpf_test {
namespace {

std::vector<bool> running(const std::vector<int32_t>& priorities) {
    std::vector<Unit> units;
    for (const int32_t priority : priorities)
        units.push_back({.id = units.size() + 1, .device = 1, .cpu_priority = priority, .wants = true});
    std::vector<Choice> choices(units.size());
    EXPECT_EQ(find_policy("CHPF")->make()->choose(units, 1000, choices), 0);
    std::vector<bool> runs;
    for (const Choice& choice : choices) runs.push_back(choice.run);
    return runs;
}

// nice 0, nice 19, nice -5
TEST(Chpf, TheNicestIsSuspended) { EXPECT_EQ(running({0, -19, 5}), (std::vector<bool>{false, false, true})); }

// Real-time programs come before all others, and in the kernel's order. The original XSched has them in the reverse
// order.
TEST(Chpf, RealTimeIsAboveAllAndInItsOwnOrder) {
    EXPECT_EQ(running({20, 110, 150}), (std::vector<bool>{false, false, true}));
}

TEST(Chpf, EqualsRunTogether) { EXPECT_EQ(running({0, 0, -1}), (std::vector<bool>{true, true, false})); }

TEST(Chpf, ItAsksForThePriorities) { EXPECT_EQ(find_policy("CHPF")->make()->needs(), Fact::kCpuPriority); }

}  // namespace
}  // namespace xsched::policy::chpf_test
