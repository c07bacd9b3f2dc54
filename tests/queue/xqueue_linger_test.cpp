// Lingering: when something is put behind the program's work to keep the device, and when that is told to end.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"

namespace xsched {
namespace {

using fake::FakeDevice;

constexpr fake::Traits kInterruptible = {.levels = 0b1110, .throttle = true};

class XQueueLinger : public ::testing::Test {
protected:
    void SetUp() override {
        header().watching = 1;
        header().linger_wanted = 1;
        device.enqueue(0);
        device.queue().prepare_linger_if_asked();
        while (device.step()) {}
        others_are_kept_off(true);
    }
    ipc::Header& header() { return device.region().header; }
    void others_are_kept_off(bool on) { header().linger_until_ns = on ? base::now_ns() + base::kSecond * 3600 : 0; }
    // Whether the last one asked for has been told to end.
    bool ended() { return *device.linger_word >= device.lingers.back().number; }

    FakeDevice device{kInterruptible};
};

TEST_F(XQueueLinger, OnePreparesOnceAndSaysSo) {
    EXPECT_EQ(header().lingers, 1u);
    device.queue().prepare_linger_if_asked();
    EXPECT_EQ(device.linger_prepared, 1);
}

TEST(XQueueLingerUnprepared, TheAgentIsToldWhenItCanPrepare) {
    FakeDevice device(kInterruptible);
    ipc::Header& header = device.region().header;
    header.linger_wanted = 1;
    header.watching = 1;
    device.queue().prepare_linger_if_asked();
    EXPECT_EQ(device.linger_prepared, 0) << "the device knows no words yet";
    const uint32_t rings = header.directive;
    device.enqueue(0);
    EXPECT_GT(header.directive, rings);
    device.queue().prepare_linger_if_asked();
    EXPECT_EQ(device.linger_prepared, 1);
}

TEST(XQueueLingerUnprepared, OneThatIsNotAskedOrCannotDoesNot) {
    FakeDevice device(kInterruptible);
    ipc::Header& header = device.region().header;
    header.watching = 1;
    device.enqueue(0);
    device.queue().prepare_linger_if_asked();
    EXPECT_EQ(device.linger_prepared, 0) << "nobody is to be kept off";
    header.linger_wanted = 1;
    device.refuse_linger = true;
    device.queue().prepare_linger_if_asked();
    device.queue().prepare_linger_if_asked();
    EXPECT_EQ(device.linger_prepared, 1);
    EXPECT_EQ(header.lingers, 0u);
    header.linger_until_ns = base::now_ns() + base::kSecond;
    device.enqueue(1);
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 0);
    EXPECT_TRUE(device.lingers.empty());
}

TEST_F(XQueueLinger, BehindWorkWhileOthersAreKeptOff) {
    device.enqueue(1);
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 1);
    ASSERT_EQ(device.lingers.size(), 1u);
    EXPECT_TRUE(device.lingers[0].waits);
    EXPECT_FALSE(ended());
    EXPECT_EQ(header().waits, 1u);
}

TEST_F(XQueueLinger, NotWhenNobodyIs) {
    others_are_kept_off(false);
    device.enqueue(1);
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 0);
    header().linger_until_ns = base::now_ns() - 1;
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 0);
    EXPECT_TRUE(device.lingers.empty());
    EXPECT_EQ(header().waits, 2u) << "the scheduler learns from it all the same";
}

TEST_F(XQueueLinger, NotOnAnIdleDevice) {
    const uint64_t mark = xq_sync_begin(device.abi_queue(), 0);
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 0);
    EXPECT_TRUE(device.lingers.empty());
}

TEST_F(XQueueLinger, TheNextWorkEndsIt) {
    device.enqueue(1);
    xq_linger(device.abi_queue(), 0);
    EXPECT_FALSE(device.lingers[0].waits);
    XqTicket point{};
    xq_admit_point(device.abi_queue(), &point);
    xq_launched(device.abi_queue(), &point, kXqSucceeded);
    EXPECT_FALSE(ended()) << "a place in the queue keeps no device";
    device.enqueue(2);
    EXPECT_TRUE(ended());
}

TEST_F(XQueueLinger, TheNextWaitEndsItAndLingersAnew) {
    device.enqueue(1);
    xq_linger(device.abi_queue(), 0);
    xq_linger(device.abi_queue(), 0);
    ASSERT_EQ(device.lingers.size(), 2u);
    EXPECT_EQ(*device.linger_word, device.lingers[0].number);
    EXPECT_FALSE(ended());
}

TEST_F(XQueueLinger, WhoAsksForTheStreamEndsItAndSeesNothingOfIt) {
    device.enqueue(1);
    const uint64_t mark = xq_sync_begin(device.abi_queue(), 0);
    xq_linger(device.abi_queue(), 1);
    xq_leave(device.abi_queue());
    EXPECT_TRUE(ended());
    EXPECT_EQ(xq_only_ours(device.abi_queue()), 0) << "a command is in flight";
    while (device.step()) {}
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_EQ(xq_only_ours(device.abi_queue()), 1);
}

TEST_F(XQueueLinger, AReportOnItsWayIsOursToo) {
    device.enqueue(1);
    const uint64_t mark = xq_sync_begin(device.abi_queue(), 0);
    device.queue().track_tail();
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_EQ(xq_only_ours(device.abi_queue()), 1);
}

TEST(XQueueLingerUnprepared, NothingIsOursWhereNobodyEverWatched) {
    FakeDevice device(kInterruptible);
    device.enqueue(0);
    const uint64_t mark = xq_sync_begin(device.abi_queue(), 0);
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_EQ(xq_only_ours(device.abi_queue()), 0) << "the driver's answer is about the program";
}

TEST_F(XQueueLinger, WhatTheBackendRefusesIsNotWaitedFor) {
    device.refuse_linger = true;
    device.enqueue(1);
    EXPECT_EQ(xq_linger(device.abi_queue(), 1), 0);
    EXPECT_TRUE(ended());
}

}  // namespace
}  // namespace xsched
