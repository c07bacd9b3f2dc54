#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::mlfq_test {
namespace {

using namespace testing;

Job bursts(int64_t command_ns, int64_t commands, int64_t gap_ns) {
    return {.command_ns = command_ns, .commands = commands, .gap_ns = gap_ns};
}

TEST(Mlfq, ShortWorkDoesNotWaitForLongWork) {
    VirtualDevice device("MLFQ");
    device.add({.command_ns = 500 * kUs});
    device.add(bursts(200 * kUs, 5, 30 * kMs));
    device.run(10 * kSecond);
    std::vector<int64_t> lengths = device.job(1).lengths_ns;
    std::sort(lengths.begin(), lengths.end());
    EXPECT_LE(lengths[lengths.size() / 2], 2 * kMs);
}

// A queue that wakes up and is not chosen is suspended. The original XSched does not suspend it.
TEST(Mlfq, WhoWakesUpAndIsNotChosenIsSuspended) {
    const auto policy = find_policy("MLFQ")->make();
    std::vector<Unit> units{{.id = 1, .device = 1, .process = 1, .wants = true}, {.id = 2, .device = 1, .process = 2}};
    std::vector<Choice> choices(2);
    policy->choose(units, kSecond, choices);
    EXPECT_TRUE(choices[0].run);
    EXPECT_FALSE(choices[1].run);
    units[1].wants = true;
    choices.assign(2, Choice{});
    policy->choose(units, kSecond + kMs, choices);
    EXPECT_TRUE(choices[0].run);
    EXPECT_FALSE(choices[1].run);
    EXPECT_EQ(choices[1].by, 1U);
}

TEST(Mlfq, WhoUsesUpItsSliceMakesRoomForNewWork) {
    const auto policy = find_policy("MLFQ")->make();
    std::vector<Unit> units{{.id = 1, .device = 1, .process = 1, .wants = true}, {.id = 2, .device = 1, .process = 2}};
    std::vector<Choice> choices(2);
    policy->choose(units, kSecond, choices);
    units[0].busy_ns = 10 * kMs;
    units[1].wants = true;
    choices.assign(2, Choice{});
    const int64_t again_ns = policy->choose(units, kSecond + 10 * kMs, choices);
    EXPECT_FALSE(choices[0].run);
    EXPECT_TRUE(choices[1].run);
    EXPECT_EQ(again_ns, kSecond + 20 * kMs) << "its slice";
}

TEST(Mlfq, EqualsTakeTurnsAndShareEqually) {
    VirtualDevice device("MLFQ");
    for (int i = 0; i < 3; ++i) device.add({.command_ns = kMs});
    device.run(20 * kSecond);
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(device.part(i, 0, 200), 33.3, 3) << i;
}

TEST(Mlfq, LongWorkIsNotStarvedByShortWork) {
    VirtualDevice device("MLFQ");
    device.add({.command_ns = kMs});
    for (int i = 0; i < 8; ++i) device.add(bursts(kMs, 8, 10 * kMs));
    device.run(10 * kSecond);
    EXPECT_GT(device.part(0, 10, 100), 1);
    EXPECT_LE(device.job(0).longest_wait_ns, kSecond);
}

}  // namespace
}  // namespace xsched::policy::mlfq_test
