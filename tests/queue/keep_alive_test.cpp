// Keep-alive: when something is put behind the program's work to keep the device, and when that is told to end.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "queue/devices.h"

namespace xsched {
namespace {

using fake::FakeDevice;

class KeepAlive : public ::testing::Test {
protected:
    void SetUp() override {
        header().watching = 1;
        header().keep_alive_wanted = 1;
        device.enqueue(0);
        device.queue().keep_alive().prepare_if_asked();
        while (device.step()) {
        }
        others_are_kept_off(true);
    }
    ipc::Header& header() { return device.region().header; }
    void others_are_kept_off(bool on) { header().keep_alive_until_ns = on ? base::now_ns() + base::kSecond * 3600 : 0; }
    // Whether the last one asked for has been told to end.
    bool ended() { return *device.keep_alive_word > device.keep_alives.back().number; }
    // It ends soon, since something has been launched behind it.
    bool followed() { return *device.keep_alive_word == device.keep_alives.back().number; }

    FakeDevice device{test::kInterruptible};
};

TEST_F(KeepAlive, OnePreparesOnceAndSaysSo) {
    EXPECT_EQ(header().keeps_alive, 1u);
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 1);
}

// Before one is prepared, while the agent watches.
class KeepAliveUnprepared : public ::testing::Test {
protected:
    void SetUp() override { header.watching = 1; }

    FakeDevice device{test::kInterruptible};
    ipc::Header& header = device.region().header;
};

TEST_F(KeepAliveUnprepared, AProgramMayPrepareBeforeItsFirstWork) {
    device.queue().keep_alive().prepare_early();
    EXPECT_EQ(device.keep_alive_prepared, 1);
    EXPECT_EQ(header.keeps_alive, 0u) << "the device knows no words yet";
    header.keep_alive_wanted = 1;
    device.enqueue(0);
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(header.keeps_alive, 1u);
}

TEST(KeepAliveBelowLevel3, NothingIsPrepared) {
    FakeDevice device{fake::Traits{.gated = true}};
    device.queue().keep_alive().prepare_early();
    EXPECT_EQ(device.keep_alive_prepared, 0);
}

TEST_F(KeepAliveUnprepared, TheAgentIsToldWhenItCanPrepare) {
    header.keep_alive_wanted = 1;
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 0) << "the device knows no words yet";
    const uint32_t rings = header.directive;
    device.enqueue(0);
    EXPECT_GT(header.directive, rings);
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 1);
}

TEST_F(KeepAliveUnprepared, OneThatIsNotAskedOrCannotDoesNot) {
    device.enqueue(0);
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 0) << "nobody is to be kept off";
    header.keep_alive_wanted = 1;
    device.refuse_keep_alive = true;
    device.queue().keep_alive().prepare_if_asked();
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 1);
    EXPECT_EQ(header.keeps_alive, 0u);
    header.keep_alive_until_ns = base::now_ns() + base::kSecond;
    device.enqueue(1);
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(KeepAlive, BehindWorkWhileOthersAreKeptOff) {
    device.enqueue(1);
    EXPECT_TRUE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    ASSERT_EQ(device.keep_alives.size(), 1u);
    EXPECT_EQ(device.keep_alives[0].when, kXqWhenComplete);
    EXPECT_FALSE(ended());
    EXPECT_EQ(header().keep_alive_synchronizes, 1u);
}

TEST_F(KeepAlive, NotWhenNobodyIs) {
    others_are_kept_off(false);
    device.enqueue(1);
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    header().keep_alive_until_ns = base::now_ns() - 1;
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_TRUE(device.keep_alives.empty());
    EXPECT_EQ(header().keep_alive_synchronizes, 2u) << "the scheduler learns from it all the same";
}

TEST_F(KeepAlive, AlsoWhenNobodyIsWhereItIsAlwaysWished) {
    others_are_kept_off(false);
    header().keep_alive_always_us = 120;
    device.enqueue(1);
    EXPECT_TRUE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    ASSERT_EQ(device.keep_alives.size(), 1u);
    EXPECT_EQ(device.keep_alives[0].ns, 120 * base::kMicrosecond);
    others_are_kept_off(true);
    EXPECT_TRUE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_EQ(device.keep_alives[1].ns, 120 * base::kMicrosecond) << "the longer of both";
    header().keep_alive_always_us = 0;
    EXPECT_TRUE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_EQ(device.keep_alives[2].ns, 50 * base::kMicrosecond);
}

TEST_F(KeepAlive, AQueueIsIdleIfTheDriverSaysSoToo) {
    EXPECT_FALSE(xq_is_idle(device.abi_queue())) << "its work is on the device";
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_TRUE(xq_all_complete(device.abi_queue()));
    EXPECT_TRUE(xq_is_idle(device.abi_queue()));
    device.driver_is_idle = false;  // there is something in it that nobody counts
    EXPECT_TRUE(xq_all_complete(device.abi_queue()));
    EXPECT_FALSE(xq_is_idle(device.abi_queue()));
}

TEST_F(KeepAlive, NotOnAnIdleDevice) {
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(KeepAlive, TheSecondWorkBehindItEndsIt) {
    device.enqueue(1);
    xq_keep_alive(device.abi_queue(), kXqAtOnce);
    EXPECT_EQ(device.keep_alives[0].when, kXqAtOnce);
    XqTicket marker{};
    xq_admit_marker(device.abi_queue(), &marker);
    xq_launched(device.abi_queue(), &marker, kXqSucceeded);
    EXPECT_FALSE(followed()) << "a place in the queue keeps no device";
    device.enqueue(2);
    EXPECT_TRUE(followed());
    EXPECT_FALSE(ended()) << "the device would have nothing left to fetch once that has started";
    device.enqueue(3);
    EXPECT_TRUE(ended());
}

// As that of a copy of pageable memory.
TEST_F(KeepAlive, ACallThatMayWaitForTheStreamEndsItSoon) {
    device.enqueue(1);
    xq_keep_alive(device.abi_queue(), kXqAtOnce);
    xq_follow_keep_alive(device.abi_queue());
    EXPECT_TRUE(followed());
    device.enqueue(2);
    EXPECT_TRUE(followed()) << "it was the first launch";
    device.enqueue(3);
    EXPECT_TRUE(ended());
    xq_follow_keep_alive(device.abi_queue());
    EXPECT_TRUE(ended()) << "there is none any more";
}

TEST_F(KeepAlive, TheNextWaitEndsItAndBeginsAnother) {
    device.enqueue(1);
    xq_keep_alive(device.abi_queue(), kXqAtOnce);
    xq_keep_alive(device.abi_queue(), kXqAtOnce);
    ASSERT_EQ(device.keep_alives.size(), 2u);
    EXPECT_EQ(*device.keep_alive_word, device.keep_alives[0].number + 1);
    EXPECT_FALSE(ended());
}

TEST_F(KeepAlive, WhoAsksForTheStreamEndsItAndSeesNothingOfIt) {
    device.enqueue(1);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_keep_alive(device.abi_queue(), kXqWhenComplete);
    xq_end_keep_alive(device.abi_queue());
    EXPECT_TRUE(ended());
    EXPECT_FALSE(xq_only_keep_alive_pending(device.abi_queue())) << "a command is in flight";
    while (device.step()) {
    }
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_TRUE(xq_only_keep_alive_pending(device.abi_queue()));
}

TEST_F(KeepAlive, AReportOnItsWayIsOursToo) {
    device.enqueue(1);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    device.queue().report_all();
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_TRUE(xq_only_keep_alive_pending(device.abi_queue()));
}

TEST(KeepAliveUnwatched, NothingIsOursWhereNobodyEverWatched) {
    FakeDevice device(test::kInterruptible);
    device.enqueue(0);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_FALSE(xq_only_keep_alive_pending(device.abi_queue())) << "the driver's answer is about the program";
}

TEST_F(KeepAlive, WhatTheBackendRefusesIsNotWaitedFor) {
    device.refuse_keep_alive = true;
    device.enqueue(1);
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_TRUE(ended());
}

TEST_F(KeepAliveUnprepared, BeforeAnAnnouncedBurstTheDeviceGetsSomethingToDoOnce) {
    device.enqueue(0);
    while (device.step()) {
    }
    device.queue().keep_alive().warm_if_asked();
    EXPECT_EQ(device.warmed, 0);
    ++device.slot().warm;
    device.queue().keep_alive().warm_if_asked();
    device.queue().keep_alive().warm_if_asked();
    EXPECT_EQ(device.warmed, 1);
    ++device.slot().warm;
    device.queue().keep_alive().warm_if_asked();
    EXPECT_EQ(device.warmed, 2);
}

// Before a burst that is foreseen.
class KeepAliveHeld : public KeepAlive {
protected:
    void SetUp() override {
        KeepAlive::SetUp();
        xq_end_held_keep_alive();  // the last test's, which is in force for 0.45 ms and prevents another
        xq_sync_end(device.abi_queue(), xq_sync_begin(device.abi_queue()));
        others_are_kept_off(false);
    }
    static void ask(FakeDevice& of, uint32_t us) {
        of.slot().warm_us = us;
        ++of.slot().warm;
        of.queue().keep_alive().warm_if_asked();
    }
    uint32_t word() const { return *device.keep_alive_word; }
};

TEST_F(KeepAliveHeld, SoLongAndTheFirstLaunchIsTold) {
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_EQ(device.held_before[0].ns, 300 * base::kMicrosecond);
    EXPECT_EQ(device.warmed, 0);
    const uint32_t number = device.held_before[0].number;
    EXPECT_LT(word(), number);
    device.enqueue(1);
    EXPECT_EQ(word(), number) << "it ends by itself, some time behind that";
    device.enqueue(2);
    device.enqueue(3);
    EXPECT_EQ(word(), number) << "the device would turn to others while there is little behind it";
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(KeepAliveHeld, AnotherQueuesLaunchCountsAsWell) {
    FakeDevice other{test::kInterruptible};
    ask(device, 300);
    other.enqueue(1);
    EXPECT_EQ(word(), device.held_before[0].number);
}

TEST_F(KeepAliveHeld, OneAtATime) {
    ask(device, 3'600'000'000);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 1u);
    xq_end_held_keep_alive();
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "that one is over";
}

// It stands beside the program's work, which is behind nothing of it.
TEST_F(KeepAliveHeld, WhoAsksOrWaitsForTheStreamLeavesIt) {
    ask(device, 300);
    device.enqueue(1);
    xq_end_keep_alive(device.abi_queue());
    EXPECT_FALSE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    EXPECT_EQ(word(), device.held_before[0].number);
}

TEST_F(KeepAliveHeld, WhoWaitsForTheContextEndsIt) {
    ask(device, 300);
    xq_end_held_keep_alive();
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    device.enqueue(1);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(KeepAliveHeld, NotBeforeBurstsOfAProgramThatFreesMemory) {
    ask(device, 300);
    xq_frees_memory();
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    for (uint32_t i = 0; i < queue::KeepAlive::kBurstsAfterFree; ++i) ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 1u);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "it has not freed any for long";
    xq_end_held_keep_alive();
}

TEST_F(KeepAliveHeld, AlsoBehindTheFirstLaunch) {
    ask(device, 300);
    device.enqueue(1);
    xq_end_held_keep_alive();
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(KeepAliveHeld, AWaitThatKeepsTheDeviceBeginsAnotherBesideIt) {
    ask(device, 300);
    device.enqueue(1);
    others_are_kept_off(true);
    EXPECT_TRUE(xq_keep_alive(device.abi_queue(), kXqAtOnce));
    xq_end_held_keep_alive();
    EXPECT_LT(word(), device.keep_alives.back().number) << "the two have one word";
    device.enqueue(2);
    EXPECT_EQ(word(), device.keep_alives.back().number);
}

// To the end of a burst under way: launches leave it, and the next wait ends it.
class KeepAliveToTheEnd : public KeepAliveHeld {
protected:
    void SetUp() override {
        KeepAliveHeld::SetUp();
        device.enqueue(1);
        device.slot().warm_to_end = 1;
    }
    void TearDown() override {
        xq_end_held_keep_alive();
        device.slot().warm_to_end = 0;
        header().holds_until_ns = 0;
    }
};

TEST_F(KeepAliveToTheEnd, TheSchedulerIsToldHowLong) {
    const uint32_t rang = header().doorbell.load();
    const int64_t before_ns = base::now_ns();
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_EQ(device.held_before[0].ns, 300 * base::kMicrosecond);
    EXPECT_GE(header().holds_until_ns.load(), before_ns + 300 * base::kMicrosecond);
    EXPECT_LE(header().holds_until_ns.load(), base::now_ns() + 300 * base::kMicrosecond);
    EXPECT_NE(header().doorbell.load(), rang);
}

TEST_F(KeepAliveToTheEnd, TheNextWaitEndsItAndNoLaunch) {
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    const uint32_t number = device.held_before[0].number;
    device.enqueue(2);
    device.enqueue(3);
    EXPECT_LT(word(), number);
    xq_keep_alive(device.abi_queue(), kXqAtOnce);
    EXPECT_EQ(word(), number + 1);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "it is over";
}

TEST_F(KeepAliveToTheEnd, AnotherQueuesWaitEndsItAsWell) {
    FakeDevice other{test::kInterruptible};
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    xq_keep_alive(other.abi_queue(), kXqAtOnce);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(KeepAliveToTheEnd, NotShortlyAfterMemoryWasFreed) {
    xq_frees_memory();
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
    device.slot().warm_to_end = 0;
    xq_sync_end(device.abi_queue(), xq_sync_begin(device.abi_queue()));
    for (uint32_t i = 0; i < queue::KeepAlive::kBurstsAfterFree; ++i) ask(device, 300);
    EXPECT_TRUE(device.held_before.empty()) << "it was none of the bursts to come";
}

// Nothing has been launched since.
TEST_F(KeepAliveHeld, AlsoBehindTheKeepAliveOfTheLastWait) {
    device.enqueue(1);
    others_are_kept_off(true);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    ASSERT_TRUE(xq_keep_alive(device.abi_queue(), kXqWhenComplete));
    while (device.step()) {
    }
    xq_sync_end(device.abi_queue(), mark);
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_GT(word(), device.keep_alives.back().number);
    EXPECT_LT(word(), device.held_before[0].number);
}

TEST_F(KeepAliveHeld, NotOnceTheBurstIsThere) {
    device.enqueue(1);
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
    EXPECT_EQ(device.warmed, 0);
}

TEST_F(KeepAliveHeld, NotWhereNoneIsPrepared) {
    header().keeps_alive = 0;
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
}

TEST_F(KeepAliveHeld, WhatTheBackendRefusesHoldsNothing) {
    device.refuse_keep_alive = true;
    ask(device, 300);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    EXPECT_FALSE(device.queue().keep_alive().running());
}

}  // namespace
}  // namespace xsched
