#include "queue/gate_spacing.h"

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
    for (uint32_t i = 1; i < GateSpacing::kEveryCommands - 1; ++i) spacing.work_launched();
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
