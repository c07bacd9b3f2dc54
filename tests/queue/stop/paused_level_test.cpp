// While level 3 pauses for a process, its queues say so, and which level acts.
#include <gtest/gtest.h>

#include <memory>

#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "queue/hardware_stops.h"

namespace xsched {
namespace {

using fake::FakeDevice;
using test::direct;

// Demands that the slot says which level acts, and whether that is not the queue's own level.
void expect_level(FakeDevice& device, uint32_t level, bool pauses) {
    EXPECT_EQ(device.slot().level, level);
    EXPECT_EQ(device.slot().level_pauses, pauses ? 1u : 0u);
}

TEST(PausedLevel, TheSlotTells) {
    FakeDevice device(test::kInterruptible);
    const auto changes = [&](bool pauses) {
        device.level_3_pauses = pauses;
        xq_level_changed(device.queue().device());
    };
    expect_level(device, 3, false);
    changes(true);
    expect_level(device, 2, true);
    EXPECT_EQ(device.queue().set_level(1), kXSchedSuccess);
    expect_level(device, 1, false);
    EXPECT_EQ(device.queue().set_level(3), kXSchedSuccess);
    expect_level(device, 2, true);
    xq_level_changed(device.queue().device() + 1);
    expect_level(device, 2, true);
    changes(false);
    expect_level(device, 3, false);
    direct(device, true, true);
    EXPECT_EQ(device.interrupted, 1);
    direct(device, false, false);
}

// The notice in the slot is written again if another process takes over the memory, or if a server comes back.
TEST(PausedLevel, MovesWithTheSlot) {
    FakeDevice device(test::kInterruptible);
    device.level_3_pauses = true;
    xq_level_changed(device.queue().device());
    const auto other = std::make_unique<ipc::Region>();
    device.queue().attach({&other->header, &other->slots[0]});
    expect_level(device, 2, true);
    device.queue().attach({&device.region().header, &device.region().slots[0]});
}

}  // namespace
}  // namespace xsched
