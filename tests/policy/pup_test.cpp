#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::pup_test {
namespace {

using namespace testing;

Job busy(int32_t share, int32_t limit = 100, int64_t command_ns = kMs) {
    Job job{.command_ns = command_ns};
    job.unit.share = share;
    job.unit.limit = limit;
    return job;
}

// Demands that the job has this part of the device in every second that begins at a tenth of a second.
void expect_in_any_second(const VirtualDevice& device, size_t job, double part, double within) {
    for (size_t from = 5; from + 10 <= device.marks(); ++from)
        ASSERT_NEAR(device.part(job, from, from + 10), part, within) << "from " << from << " tenths";
}

TEST(Pup, SharesAreKeptOverTenSecondsAndOverAnyOne) {
    for (const int64_t command_ns : {50 * kUs, kMs, 4 * kMs}) {
        VirtualDevice device("PUP", {busy(60, 100, command_ns), busy(30, 100, kMs), busy(10, 100, 2 * kMs)});
        device.run(11 * kSecond);
        const double parts[] = {60, 30, 10};
        for (size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(device.part(i, 10, 110), parts[i], 1) << command_ns;
            expect_in_any_second(device, i, parts[i], 3);
        }
    }
}

TEST(Pup, WhoSaysNothingHasWhatOthersLeave) {
    VirtualDevice device("PUP", {busy(75), busy(0), busy(0)});
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 100), 75, 1);
    EXPECT_NEAR(device.part(1, 0, 100), 12.5, 1);
    EXPECT_NEAR(device.part(2, 0, 100), 12.5, 1);
}

TEST(Pup, WhereTooMuchIsAskedForEverybodyGetsLessInProportion) {
    VirtualDevice device("PUP", {busy(80), busy(80), busy(40)});
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 100), 40, 1);
    EXPECT_NEAR(device.part(2, 0, 100), 20, 1);
}

TEST(Pup, AnIdleShareIsLent) {
    VirtualDevice device("PUP", {busy(30)});
    device.add(busy(70)).starts_ns = 100 * kSecond;
    device.run(5 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 50), 100, 1);
}

TEST(Pup, WhatALimitLeavesGoesToTheOthers) {
    VirtualDevice device("PUP", {busy(60, 40), busy(20), busy(20)});
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 10, 100), 40, 1);
    EXPECT_NEAR(device.part(1, 10, 100), 30, 1);
    EXPECT_NEAR(device.part(2, 10, 100), 30, 1);
}

TEST(Pup, TheProgramsOfAUserShareAsOne) {
    VirtualDevice device("PUP");
    for (int i = 0; i < 3; ++i) device.add(busy(50)).unit.account = 7;
    device.add(busy(50));
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(3, 0, 100), 50, 1);
    EXPECT_NEAR(device.part(0, 0, 100) + device.part(1, 0, 100) + device.part(2, 0, 100), 50, 1);
}

// A program with bursts needs only 40 percent of the device, less than its share of 50. It must get all that it
// needs.
TEST(Pup, WhoAsksForLessThanItsShareGetsAllOfIt) {
    VirtualDevice device("PUP");
    Job& bursts = device.add(busy(50, 100, kMs));
    bursts.commands = 4;
    bursts.period_ns = 10 * kMs;
    device.add(busy(50));
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 10, 100), 40, 1);
    EXPECT_GE(device.part(1, 10, 100), 56) << "but for the pauses that belong to a turn, 0.3 of 10 ms";
}

// The first program has had a long command just before the policy is changed and changed back. It must pay for that
// time afterwards.
TEST(Pup, AccountsSurviveAChangeOfPolicy) {
    for (const char* meanwhile : {"HPF", "UP", "SPUP"}) {
        VirtualDevice device("PUP", {busy(50, 100, 40 * kMs), busy(50)});
        for (int i = 0; i < 100; ++i) {
            device.run(100 * kMs);
            if (i % 2 == 0) continue;
            device.set_policy(meanwhile);
            device.set_policy("PUP");
        }
        EXPECT_NEAR(device.part(0, 0, 100), 50, 1) << meanwhile;
    }
}

}  // namespace
}  // namespace xsched::policy::pup_test
