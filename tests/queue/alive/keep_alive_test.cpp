// Keep-alive: when something is put behind the program's work to keep the device, and when that is told to end.
#include "queue/keep_alives.h"

namespace xsched {
namespace {

using fake::FakeDevice;

class KeepAlive : public test::KeepAlives {};

TEST_F(KeepAlive, OnePreparesOnceAndSaysSo) {
    EXPECT_EQ(header().keeps_alive, 1u);
    device.queue().keep_alive().prepare_if_asked();
    EXPECT_EQ(device.keep_alive_prepared, 1);
}

// Test fixture: a queue whose keep-alive is not prepared yet, while the scheduler watches its process.
class KeepAliveUnprepared : public ::testing::Test {
protected:
    void SetUp() override { header.watching = 1; }

    FakeDevice device{test::kInterruptible};
    ipc::Header& header = device.region().header;
};

TEST_F(KeepAliveUnprepared, AProgramMayPrepareBeforeItsFirstWork) {
    device.queue().keep_alive().prepare_early();
    EXPECT_EQ(device.keep_alive_prepared, 1);
    EXPECT_EQ(header.keeps_alive, 0u) << "nobody is to be kept off";
    EXPECT_EQ(device.binds, 1) << "the device knows the queue's words";
    header.keep_alive_wanted = 1;
    device.enqueue(0);
    EXPECT_EQ(device.binds, 1) << "its first work does not wait for that";
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
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(KeepAlive, BehindWorkWhileOthersAreKeptOff) {
    device.enqueue(1);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    ASSERT_EQ(device.keep_alives.size(), 1u);
    EXPECT_EQ(device.keep_alives[0].when, kXqWhenComplete);
    EXPECT_FALSE(ended());
    EXPECT_EQ(header().keep_alive_synchronizes, 1u);
}

TEST_F(KeepAlive, NotWhenNobodyIs) {
    others_are_kept_off(false);
    device.enqueue(1);
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    header().keep_alive_until_ns = base::now_ns() - 1;
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_TRUE(device.keep_alives.empty());
    EXPECT_EQ(header().keep_alive_synchronizes, 2u) << "the scheduler learns from it all the same";
}

TEST_F(KeepAlive, AlsoWhenNobodyIsWhereItIsAlwaysWished) {
    others_are_kept_off(false);
    header().keep_alive_always_us = 120;
    device.enqueue(1);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    ASSERT_EQ(device.keep_alives.size(), 1u);
    EXPECT_EQ(device.keep_alives[0].ns, 120 * base::kMicrosecond);
    others_are_kept_off(true);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_EQ(device.keep_alives[1].ns, 120 * base::kMicrosecond) << "the longer of both";
    header().keep_alive_always_us = 0;
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_EQ(device.keep_alives[2].ns, 50 * base::kMicrosecond);
}

TEST_F(KeepAlive, AQueueIsIdleIfTheDriverSaysSoToo) {
    EXPECT_FALSE(xq_is_idle(device.abi_queue())) << "its work is on the device";
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_TRUE(xq_all_complete(device.abi_queue()));
    EXPECT_TRUE(xq_is_idle(device.abi_queue()));
    device.driver_is_idle = false;  // the driver has work that is not counted
    EXPECT_TRUE(xq_all_complete(device.abi_queue()));
    EXPECT_FALSE(xq_is_idle(device.abi_queue()));
}

TEST_F(KeepAlive, NotOnAnIdleDevice) {
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(KeepAlive, TheSecondWorkBehindItEndsIt) {
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
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

// A call of the driver that may wait for the stream, such as a copy of pageable memory, ends a keep-alive there soon.
TEST_F(KeepAlive, ACallThatMayWaitForTheStreamEndsItSoon) {
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    xq_about_to(device.abi_queue(), kXqMayWait);
    EXPECT_TRUE(followed());
    device.enqueue(2);
    EXPECT_TRUE(followed()) << "it was the first launch";
    device.enqueue(3);
    EXPECT_TRUE(ended());
    xq_about_to(device.abi_queue(), kXqMayWait);
    EXPECT_TRUE(ended()) << "there is none any more";
}

TEST_F(KeepAlive, TheNextWaitEndsItAndBeginsAnother) {
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    ASSERT_EQ(device.keep_alives.size(), 2u);
    EXPECT_EQ(*device.keep_alive_word, device.keep_alives[0].number + 1);
    EXPECT_FALSE(ended());
}

TEST_F(KeepAlive, WhoAsksForTheStreamEndsItAndSeesNothingOfIt) {
    device.enqueue(1);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_about_to(device.abi_queue(), kXqWait);
    xq_about_to(device.abi_queue(), kXqQuery);
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
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_TRUE(ended());
}

TEST_F(KeepAliveUnprepared, BeforeAnAnnouncedBurstTheDeviceGetsSomethingToDoOnce) {
    device.enqueue(0);
    while (device.step()) {
    }
    queue::g_hold.warm_if_asked(device.queue().keep_alive());
    EXPECT_EQ(device.warmed, 0);
    ++device.slot().warm;
    queue::g_hold.warm_if_asked(device.queue().keep_alive());
    queue::g_hold.warm_if_asked(device.queue().keep_alive());
    EXPECT_EQ(device.warmed, 1);
    ++device.slot().warm;
    queue::g_hold.warm_if_asked(device.queue().keep_alive());
    EXPECT_EQ(device.warmed, 2);
}

}  // namespace
}  // namespace xsched
