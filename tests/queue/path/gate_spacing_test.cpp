#include "queue/path/gate_spacing.h"

#include <gtest/gtest.h>

namespace xsched::queue {
namespace {

constexpr int64_t kEvery = GateSpacing::kEveryNs;

TEST(GateSpacing, OneGatePerSoMuchDeviceTime) {
    GateSpacing spacing;
    const int64_t command_ns = kEvery / 10;
    for (int i = 0; i < 8; ++i) spacing.work_launched();
    EXPECT_FALSE(spacing.due(kEvery, command_ns));
    spacing.work_launched();
    EXPECT_TRUE(spacing.due(kEvery, command_ns));
    spacing.gate_launched();
    EXPECT_FALSE(spacing.due(kEvery, command_ns));
}

TEST(GateSpacing, LongCommandsHaveOneEachAndShortOnesOneOfSoMany) {
    GateSpacing spacing;
    EXPECT_TRUE(spacing.due(kEvery, 2 * kEvery));
    for (uint32_t i = 1; i < kMostWithout - 1; ++i) spacing.work_launched();
    EXPECT_FALSE(spacing.due(kEvery, 1));
    spacing.work_launched();
    EXPECT_TRUE(spacing.due(kEvery, 1));
}

TEST(GateSpacing, ASuspensionsFirstCommandHasOne) {
    GateSpacing spacing;
    EXPECT_TRUE(spacing.first_of_suspension(100));
    EXPECT_FALSE(spacing.first_of_suspension(100));
    EXPECT_TRUE(spacing.first_of_suspension(200));
}

TEST(GateSpacing, WhatAGateCostsTheDeviceSetsTheTimeBetween) {
    GateSpacing spacing;
    EXPECT_EQ(spacing.every_ns(kEvery), kEvery) << "not measured";
    spacing.measured({.device_ns = 20'000, .host_ns = 0});
    EXPECT_EQ(spacing.every_ns(kEvery), 20'000 * GateSpacing::kShare);
    spacing.measured({.device_ns = 1'000, .host_ns = 0});
    EXPECT_EQ(spacing.every_ns(kEvery), kEvery);
    spacing.measured({.device_ns = UINT32_MAX, .host_ns = 0});
    EXPECT_EQ(spacing.every_ns(kEvery), GateSpacing::kMostEveryNs);
}

TEST(GateSpacing, AGateIsDearWhereItsThreadIsBusyWithLaunches) {
    GateSpacing spacing;
    EXPECT_FALSE(spacing.is_dear(250'000, 45)) << "no launch is measured yet";
    for (int i = 0; i < 8; ++i) spacing.launch_took(4'000);
    EXPECT_TRUE(spacing.is_dear(250'000, 45));
    EXPECT_FALSE(spacing.is_dear(340'000, 3));
    EXPECT_FALSE(spacing.is_dear(0, 45)) << "it may be a long one";
}

TEST(GateSpacing, OfTheFirstLaunchesTheLeastDisturbedCounts) {
    GateSpacing spacing;
    spacing.measured({.device_ns = 0, .host_ns = 10'000});
    for (int i = 0; i < 8; ++i) {
        EXPECT_TRUE(spacing.measures_launches());
        EXPECT_EQ(spacing.launch_ns(), 0);
        spacing.launch_took(5'000 + 1'000 * (i % 5));
    }
    EXPECT_FALSE(spacing.measures_launches());
    EXPECT_EQ(spacing.launch_ns(), 5'000);
    // A gate (10 us) may cost at most a fiftieth of the launches before it, so 100 launches of brief commands are
    // needed. If the commands are longer than their launches, the device is what takes the time, and a gate may come
    // at once.
    for (int i = 0; i < 98; ++i) spacing.work_launched();
    EXPECT_FALSE(spacing.due(kEvery, 2'000));
    EXPECT_TRUE(spacing.due(kEvery, 5'000));
    spacing.work_launched();
    EXPECT_TRUE(spacing.due(kEvery, 2'000));
}

TEST(ReportStride, FollowsLengthAndRoom) {
    EXPECT_EQ(report_stride(512, 0), 4u) << "no length is known";
    EXPECT_EQ(report_stride(512, base::kMillisecond), 1u);
    EXPECT_EQ(report_stride(512, base::kMillisecond / 10), 10u);
    EXPECT_EQ(report_stride(512, 1), 64u);
    EXPECT_EQ(report_stride(8, 1), 2u) << "a small window must see its ends soon";
    EXPECT_EQ(report_stride(1, 1), 1u);
}

}  // namespace
}  // namespace xsched::queue
