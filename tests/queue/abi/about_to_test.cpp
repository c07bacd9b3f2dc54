// xq_about_to: each value reaches the queue's keep-alive or the process's hold, and no other queue.
#include "queue/keep_alives.h"

namespace xsched {
namespace {

using AboutTo = test::KeepAlives;

bool told_to_end(const fake::FakeDevice& device) { return *device.keep_alive_word > device.keep_alives.back().number; }

TEST_F(AboutTo, AWaitIsDoneByTheCallAndAWaitForAnEventIsNot) {
    device.enqueue(1);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_EQ(device.keep_alives.back().when, kXqWhenComplete);
    device.enqueue(2);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWaitForEvent));
    EXPECT_EQ(device.keep_alives.back().when, kXqAtOnce);
}

TEST_F(AboutTo, AFreeEndsTheKeepAlivesOfAllQueues) {
    fake::FakeDevice other{test::kInterruptible};
    ipc::Header& others = other.region().header;
    others.watching = 1;
    others.keep_alive_wanted = 1;
    other.enqueue(0);
    other.queue().keep_alive().prepare_if_asked();
    while (other.step()) {
    }
    others.keep_alive_until_ns = base::now_ns() + base::kSecond * 3600;
    other.enqueue(1);
    device.enqueue(1);
    ASSERT_TRUE(xq_about_to(device.abi_queue(), kXqWaitForEvent));
    ASSERT_TRUE(xq_about_to(other.abi_queue(), kXqWaitForEvent));
    xq_about_to(device.abi_queue(), kXqFree);
    EXPECT_FALSE(told_to_end(device)) << "memory is the process's: it has no queue";
    xq_about_to(nullptr, kXqFree);
    EXPECT_TRUE(told_to_end(device));
    EXPECT_TRUE(told_to_end(other));
    for (uint32_t i = 0; i < queue::DeviceHold::kBurstsAfterFree; ++i) {  // else the next tests' bursts get no hold
        device.slot().warm_us = 300;
        ++device.slot().warm;
        queue::g_hold.warm_if_asked(device.queue().keep_alive());
    }
}

TEST_F(AboutTo, ACooperativeLaunchAndAWaitForTheContextLeaveKeepAlives) {
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    EXPECT_FALSE(xq_about_to(nullptr, kXqCooperative));
    EXPECT_FALSE(xq_about_to(nullptr, kXqWait));
    EXPECT_FALSE(told_to_end(device));
    xq_about_to(device.abi_queue(), kXqQuery);
    EXPECT_TRUE(told_to_end(device));
}

TEST_F(AboutTo, AQueueThatIsGoneIsNotTakenForTheProcess) {
    XqQueue* gone = nullptr;
    {
        fake::FakeDevice other{test::kInterruptible};
        gone = other.abi_queue();
    }
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    for (const XqAbout what : {kXqFirstUse, kXqWait, kXqWaitForEvent, kXqQuery, kXqMayWait, kXqCooperative, kXqFree})
        EXPECT_FALSE(xq_about_to(gone, what));
    EXPECT_FALSE(told_to_end(device));
}

TEST_F(AboutTo, TheFirstUsePreparesTheKeepAlive) {
    const int before = device.keep_alive_prepared;
    xq_about_to(device.abi_queue(), kXqFirstUse);
    EXPECT_EQ(device.keep_alive_prepared, before + 1);
}

}  // namespace
}  // namespace xsched
