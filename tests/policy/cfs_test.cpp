#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::cfs_test {
namespace {

using namespace testing;

Job busy(int32_t priority, int64_t command_ns = 200 * kUs) {
    Job job{.command_ns = command_ns};
    job.unit.priority = priority;
    return job;
}

TEST(Cfs, FourEqualsShareEqually) {
    VirtualDevice device("CFS");
    for (const int64_t command_ns : {50 * kUs, 200 * kUs, kMs, 5 * kMs}) device.add(busy(0, command_ns));
    device.run(10 * kSecond);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(device.part(i, 0, 100), 25, 1) << i;
}

TEST(Cfs, APriorityWeighsAFifthMore) {
    VirtualDevice device("CFS", {busy(3), busy(0)});
    device.run(10 * kSecond);
    const double weight = std::pow(1.2, 3);
    EXPECT_NEAR(device.part(0, 0, 100), 100 * weight / (1 + weight), 1);
}

TEST(Cfs, APriorityBeyondTheLargestThatCountsIsTold) {
    const auto cfs = find_policy("CFS")->make();
    std::vector<Unit> units(3);
    units[0].priority = 200;
    units[1].priority = 30;
    units[2].priority = -31;
    std::vector<Note> notes(3);
    ASSERT_TRUE(cfs->tell(units, notes));
    char text[200];
    EXPECT_STREQ(write_note(notes[0], text, sizeof(text)),
                 "CFS: its priority counts as 30; CFS tells no others beyond that apart");
    EXPECT_EQ(notes[1], Note{});
    EXPECT_EQ(notes[2].first, -30);
}

// A newcomer begins with the least device time of the present programs. In the original XSched a queue began at zero
// and had the device alone until it had caught up.
TEST(Cfs, ANewcomerBeginsWithTheLeast) {
    VirtualDevice device("CFS", {busy(0)});
    device.add(busy(0)).starts_ns = 5 * kSecond;
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 50, 60), 50, 2);
    EXPECT_NEAR(device.part(1, 50, 60), 50, 2);
}

TEST(Cfs, ASleeperDoesNotTakeTheDeviceForAllTheTimeThatItSlept) {
    VirtualDevice device("CFS", {busy(0)});
    Job& sleeper = device.add(busy(0));
    sleeper.commands = 5000;  // a second
    sleeper.gap_ns = 4 * kSecond;
    device.run(12 * kSecond);
    EXPECT_GT(device.job(1).bursts, 1);
    for (const int64_t length_ns : device.job(1).lengths_ns) EXPECT_NEAR(static_cast<double>(length_ns), 2e9, 1e8);
}

TEST(Cfs, WhoComesBackRunsWithinATurn) {
    VirtualDevice device("CFS", {busy(0)});
    Job& brief = device.add(busy(0, 100 * kUs));
    brief.commands = 1;
    brief.gap_ns = 20 * kMs;
    device.run(5 * kSecond);
    EXPECT_LE(device.job(1).longest_wait_ns, 2 * kMs + 200 * kUs);
}

TEST(Cfs, TheTurnFollowsTheTimeslice) {
    for (const int64_t timeslice_us : {5000, 20000}) {
        const auto policy = find_policy("CFS")->make();
        std::vector<Unit> units{{.id = 1, .device = 1, .process = 1, .wants = true},
                                {.id = 2, .device = 1, .process = 2, .wants = true}};
        for (Unit& unit : units) unit.timeslice_us = timeslice_us;
        std::vector<Choice> choices(2);
        EXPECT_EQ(policy->choose(units, kSecond, choices), kSecond + timeslice_us * 1000 / 5);
    }
}

}  // namespace
}  // namespace xsched::policy::cfs_test
