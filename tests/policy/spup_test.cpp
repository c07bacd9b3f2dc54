#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::spup_test {
namespace {

using namespace testing;

Job busy(int32_t share, int64_t command_ns = kMs) {
    Job job{.command_ns = command_ns};
    job.unit.share = share;
    return job;
}

TEST(Spup, AShareIsALimitToo) {
    VirtualDevice device("SPUP", {busy(30)});
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 100), 30, 1);
    for (size_t from = 5; from + 10 <= device.marks(); ++from) ASSERT_NEAR(device.part(0, from, from + 10), 30, 3);
}

TEST(Spup, AnIdleShareIsNotLent) {
    VirtualDevice device("SPUP", {busy(40)});
    Job& resting = device.add(busy(60));
    resting.commands = 1;
    resting.gap_ns = kSecond;
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 10, 100), 40, 1);
}

TEST(Spup, BusyProgramsGetAllOfTheirShares) {
    for (const int64_t command_ns : {100 * kUs, kMs, 4 * kMs}) {
        VirtualDevice device("SPUP", {busy(75, command_ns), busy(25, kMs)});
        device.run(11 * kSecond);
        EXPECT_NEAR(device.part(0, 10, 110), 75, 1) << command_ns;
        EXPECT_NEAR(device.part(1, 10, 110), 25, 1) << command_ns;
    }
}

TEST(Spup, WithoutAShareItIsWhatOthersLeave) {
    VirtualDevice device("SPUP", {busy(70), busy(0)});
    device.run(10 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 100), 70, 1);
    EXPECT_NEAR(device.part(1, 0, 100), 30, 1);
}

// The time that a program had alone, before another one came, does not count as more than its share.
TEST(Spup, WhoWasAloneOwesNothingToWhoComes) {
    VirtualDevice device("SPUP", {busy(0)});
    device.run(kSecond);
    device.add(busy(0));
    device.run(kSecond);
    EXPECT_NEAR(device.part(0, 11, 20), 50, 3);
    EXPECT_LT(device.job(0).longest_wait_ns, 100 * kMs);
}

TEST(Spup, AloneWithoutAShareAProgramHasTheDevice) {
    VirtualDevice device("SPUP", {busy(0)});
    device.run(kSecond);
    EXPECT_NEAR(device.part(0, 0, 10), 100, 1);
}

}  // namespace
}  // namespace xsched::policy::spup_test
