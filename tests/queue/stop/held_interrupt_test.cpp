// Level 3 of queues whose commands are held by the driver.
#include <gtest/gtest.h>

#include "fake/device/fake_device.h"
#include "queue/hardware_stops.h"

namespace xsched {
namespace {

using fake::FakeDevice;
using test::direct;

// Holds keep commands back, so running work is taken off only if the scheduler says so.
TEST(HeldInterrupt, ComesOnlyIfTheSchedulerSaysSo) {
    FakeDevice device({.levels = 0b1010});
    ASSERT_EQ(device.slot().level, static_cast<uint32_t>(kPreemptLevelInterrupt));
    direct(device, true, false);
    EXPECT_TRUE(device.enqueue(1));
    EXPECT_EQ(device.runnable(), 0u);
    EXPECT_EQ(device.interrupted, 0);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 1);
    direct(device, false, false);
    EXPECT_EQ(device.restored, 1);
    EXPECT_EQ(device.runnable(), 1u);
    EXPECT_TRUE(device.step());
}

}  // namespace
}  // namespace xsched
