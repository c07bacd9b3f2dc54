// Tests how the dispatcher treats clients and queues that come, go, and are suspended by a person.
#include <gtest/gtest.h>

#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

using DispatcherServes = TwoClients;

TEST_F(DispatcherServes, APersonSuspendsAProcess) {
    low.submit(0, kStart);
    EXPECT_TRUE(dispatcher.set_suspended_by_person(1, 0, true));
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_EQ(reason(low), Reason::kHeld);
    low.make_queue(1, 0);
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(1)) << "also what it makes later";
    EXPECT_TRUE(dispatcher.set_suspended_by_person(1, 0, false));
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_FALSE(low.suspended(0) || low.suspended(1));
}

TEST_F(DispatcherServes, APersonSuspendsOneQueue) {
    low.make_queue(1, 0);
    const uint64_t handle = low.slot(1).handle;
    EXPECT_TRUE(dispatcher.set_suspended_by_person(1, handle, true));
    dispatcher.pass(kStart);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_TRUE(low.suspended(1));
    low.free_queue(1);
    dispatcher.pass(kStart + kMs);
    low.make_queue(1, 0, 1, handle + 1000);
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_FALSE(low.suspended(1)) << "another queue in the same slot";
}

TEST_F(DispatcherServes, ResumingAProcessResumesItsQueues) {
    EXPECT_TRUE(dispatcher.set_suspended_by_person(1, low.slot(0).handle, true));
    dispatcher.pass(kStart);
    ASSERT_TRUE(low.suspended(0));
    EXPECT_TRUE(dispatcher.set_suspended_by_person(1, 0, false));
    dispatcher.pass(kStart + kMs);
    EXPECT_FALSE(low.suspended(0));
}

TEST_F(DispatcherServes, WhoIsNotThereCannotBeSuspended) {
    EXPECT_FALSE(dispatcher.set_suspended_by_person(3, 0, true));
    EXPECT_FALSE(dispatcher.set_suspended_by_person(1, 4711, true));
}

TEST_F(DispatcherServes, AClientThatLeavesIsLeftRunning) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    ASSERT_TRUE(low.suspended(0));
    const uint32_t before = low.rings();
    dispatcher.remove_client(1);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(low.slot(0).gate, ipc::kGateOpen);
    EXPECT_EQ(low.slot(0).window_ns, 0);
    EXPECT_EQ(low.header().watching, 0U);
    EXPECT_EQ(low.rings(), before + 1);
    dispatcher.pass(kStart + kMs);
    EXPECT_FALSE(low.suspended(0)) << "and is never touched again";
    EXPECT_EQ(reason(high), Reason::kAlone);
}

TEST_F(DispatcherServes, WhenTheUrgentClientDiesTheOtherGoesOn) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    dispatcher.remove_client(2);
    EXPECT_EQ(dispatcher.pass(kStart + kMs), 0);
    EXPECT_FALSE(low.suspended(0));
}

TEST_F(DispatcherServes, AFreedSlotKeepsNoDirective) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    ASSERT_TRUE(low.suspended(0));
    low.free_queue(0);
    dispatcher.pass(kStart + kMs);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(low.slot(0).gate, ipc::kGateOpen);
    for (const auto& queue : dispatcher.snapshot()) EXPECT_EQ(queue.client_id, 2U);
}

TEST_F(DispatcherServes, ASlotReusedBetweenTwoPassesIsANewQueue) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    dispatcher.pass(kStart + 5 * kMs);
    EXPECT_EQ(dispatcher.snapshot()[0].suspended_total_ns, 5 * kMs);
    EXPECT_EQ(dispatcher.snapshot()[0].preemptions, 1U);
    low.make_queue(0, 0, 1, 4711);
    dispatcher.pass(kStart + 6 * kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_EQ(dispatcher.snapshot()[0].suspended_total_ns, 0);
    EXPECT_EQ(dispatcher.snapshot()[0].preemptions, 0U) << "it had no work to be taken off";
}

TEST_F(DispatcherServes, AFreshQueuesGateIsOpened) {
    low.slot(0).gate = ipc::kGateClosed;
    dispatcher.pass(kStart);
    EXPECT_EQ(low.slot(0).gate, ipc::kGateOpen);
}

TEST_F(DispatcherServes, AScribbledDirectiveIsWrittenAgain) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    low.slot(0).suspended = 0;
    low.slot(0).gate = ipc::kGateOpen;
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_EQ(low.slot(0).gate, ipc::kGateClosed);
}

TEST_F(DispatcherServes, FindsQueuesAnywhere) {
    dispatcher.pass(kStart);
    high.submit(0, kStart);
    for (uint32_t at = 1; at < 100; ++at) low.make_queue(at, 0);
    dispatcher.pass(kStart + kMs);
    for (uint32_t at = 0; at < 100; ++at) EXPECT_TRUE(low.suspended(at)) << at;
    low.make_queue(ipc::kMostQueues - 1, 0);
    dispatcher.pass(kStart + 100 * kMs);
    EXPECT_TRUE(low.suspended(ipc::kMostQueues - 1)) << "far from the others: found within a while";
}

}  // namespace
}  // namespace xsched::dispatch
