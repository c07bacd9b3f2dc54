#include "queue/standing.h"

#include <gtest/gtest.h>

#include "queue/devices.h"

namespace xsched::queue {
namespace {

class Stands : public testing::Test {
protected:
    XqStand begin(bool keeps_order = true) {
        const XqStand id = standing.begin(new Stand, keeps_order);
        standing.submitted(id);
        standing.given(id);
        return id;
    }
    Standing standing;
};

TEST_F(Stands, WhatComesBehindAWaitStandsWithIt) {
    const XqStand wait = begin();
    EXPECT_EQ(standing.submitted(0), wait);
    EXPECT_EQ(standing.commands(), 2u);
    standing.over(wait);
    EXPECT_FALSE(standing.any());
    EXPECT_EQ(standing.submitted(0), 0u);
}

TEST_F(Stands, ALaterWaitEndsWithTheEarlierOne) {
    const XqStand first = begin();
    const XqStand second = begin();
    EXPECT_EQ(standing.submitted(0), second);
    standing.over(second);
    EXPECT_EQ(standing.commands(), 3u);
    standing.over(first);
    EXPECT_EQ(standing.commands(), 0u);
}

TEST_F(Stands, WithoutOrderEachStandsForItself) {
    const XqStand first = begin(false);
    const XqStand second = begin(false);
    EXPECT_EQ(standing.submitted(0), 0u);
    standing.over(second);
    EXPECT_EQ(standing.commands(), 1u);
    standing.over(first);
    EXPECT_FALSE(standing.any());
}

// While the wait's own call is under way, another thread's command may still get before the wait.
TEST_F(Stands, OnlyWhatIsSubmittedLaterIsBehind) {
    const XqStand wait = standing.begin(new Stand, true);
    EXPECT_EQ(standing.submitted(wait), wait);
    EXPECT_EQ(standing.submitted(0), 0u);
    standing.given(wait);
    EXPECT_EQ(standing.submitted(0), wait);
}

TEST_F(Stands, AnOldNumberFindsNothing) {
    const XqStand wait = begin();
    standing.forget();
    const XqStand other = begin();
    EXPECT_NE(wait, other);
    standing.over(wait);
    standing.take_back(wait);
    EXPECT_EQ(standing.commands(), 1u);
}

TEST_F(Stands, ThereIsAMost) {
    for (uint32_t i = 0; i < Standing::kMost; ++i) EXPECT_NE(begin(false), 0u);
    const auto spare = std::make_unique<Stand>();
    EXPECT_EQ(standing.begin(spare.get(), false), 0u);
}

class StandingQueue : public testing::Test {
protected:
    bool stands() { return xsched::ipc::work_of(device.slot()).stands; }
    bool ready() { return xsched::ipc::work_of(device.slot()).ready; }
    fake::FakeDevice device{test::kHolds};
};

TEST_F(StandingQueue, IsReadyUntilItsOtherWorkIsDoneAndAgainWhenTheWaitIsOver) {
    xsched::queue::XQueue& queue = device.queue();
    device.enqueue(0);
    const XqStand wait = queue.stand_begins(false);
    queue.stand_given(wait);
    device.enqueue(1);
    EXPECT_TRUE(ready());
    ASSERT_TRUE(device.step());
    EXPECT_TRUE(stands());
    queue.stand_over(wait);
    EXPECT_TRUE(ready());
    ASSERT_TRUE(device.step());
    EXPECT_FALSE(ready());
}

TEST_F(StandingQueue, KeepsItsStateInOtherMemory) {
    xsched::queue::XQueue& queue = device.queue();
    const XqStand wait = queue.stand_begins(false);
    queue.stand_given(wait);
    device.enqueue(0);
    const auto region = std::make_unique<xsched::ipc::Region>();
    queue.attach({&region->header, &region->slots[0]});
    EXPECT_TRUE(xsched::ipc::work_of(region->slots[0]).stands);
    queue.stand_over(wait);
    EXPECT_TRUE(xsched::ipc::work_of(region->slots[0]).ready);
    ASSERT_TRUE(device.step());
    queue.attach({&device.region().header, &device.region().slots[queue.index()]});
}

TEST_F(StandingQueue, OfDroppedCommandsNothingStands) {
    xsched::queue::XQueue& queue = device.queue();
    queue.suspend(kQueueSuspendFlagNone);
    const XqStand wait = queue.stand_begins(false);
    queue.stand_given(wait);
    device.enqueue(0);
    EXPECT_TRUE(stands());
    queue.resume(kQueueResumeFlagDropCommands);
    device.enqueue(1);
    EXPECT_TRUE(ready());
    while (device.step()) {
    }
}

}  // namespace
}  // namespace xsched::queue
