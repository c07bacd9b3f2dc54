// Delays by client: the time for which work is kept off, on the account of the client that it made room for.
#include <gtest/gtest.h>

#include "base/log.h"
#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class Delay : public TwoClients {
protected:
    void high_comes() {
        low.submit(0, kStart - kMs);
        dispatcher.pass(kStart - kMs);
        high.submit(0, kStart);
        dispatcher.pass(kStart);
    }
    // Suspends `low` for `high` from kStart to kStart + 10 ms.
    void keep_low_off() {
        high_comes();
        high.complete(0, kStart + 7 * kMs);
        dispatcher.pass(kStart + 7 * kMs);
        dispatcher.pass(kStart + 10 * kMs);
    }
    int64_t caused(uint32_t client) { return dispatcher.delay_caused_ns(client); }
};

TEST_F(Delay, IsOnTheAccountOfWhomItMadeRoomFor) {
    keep_low_off();
    EXPECT_EQ(dispatcher.snapshot()[0].suspended_total_ns, 10 * kMs);
    EXPECT_EQ(caused(2), 10 * kMs) << "its anticipation included";
    EXPECT_EQ(caused(1), 0);
    EXPECT_EQ(caused(99), 0) << "no such client";
}

TEST_F(Delay, OfQueuesThatStandTogetherCountsOnceAndOfClientsEach) {
    low.make_queue(1, 0);
    low.submit(1, kStart - kMs);
    FakeClient other(3, 300);
    other.make_queue(0, 0);
    other.submit(0, kStart - kMs);
    dispatcher.add_client(other.view());
    keep_low_off();
    EXPECT_EQ(caused(2), 20 * kMs);
}

TEST_F(Delay, ThatAPersonCausedIsNobodys) {
    low.submit(0, kStart);
    dispatcher.set_suspended_by_person(1, 0, true);
    dispatcher.pass(kStart);
    dispatcher.pass(kStart + 5 * kMs);
    EXPECT_EQ(dispatcher.snapshot()[0].suspended_total_ns, 5 * kMs);
    EXPECT_EQ(caused(2), 0);
    EXPECT_EQ(caused(1), 0);
}

TEST_F(Delay, WithinOneProcessIsNoOthers) {
    high.make_queue(1, 0);
    high.submit(1, kStart - kMs);
    dispatcher.pass(kStart - kMs);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    dispatcher.pass(kStart + 5 * kMs);
    EXPECT_GT(dispatcher.snapshot()[2].suspended_total_ns, 0);
    EXPECT_EQ(caused(2), 0);
}

TEST_F(Delay, IsToldWhenItsCauseLeaves) {
    keep_low_off();
    base::set_log_level(base::LogLevel::kDebug);
    ::testing::internal::CaptureStderr();
    dispatcher.remove_client(2);
    dispatcher.remove_client(1);
    const std::string log = ::testing::internal::GetCapturedStderr();
    base::set_log_level(base::LogLevel::kInfo);
    EXPECT_NE(log.find("pid 200 leaves the scheduler; its work delayed that of others by 10.000 ms in all"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("pid 100 leaves"), std::string::npos) << "it delayed nobody";
}

// If several clients kept a queue off one after the other, that is told when it goes on.
TEST_F(Delay, ByTwoIsToldAsOfTheFirstAndOthers) {
    FakeClient other(3, 300);
    other.make_queue(0, 20);
    dispatcher.add_client(other.view());
    high_comes();
    other.submit(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 2 * kMs);
    other.complete(0, kStart + 8 * kMs);
    dispatcher.pass(kStart + 8 * kMs);
    dispatcher.pass(kStart + 10 * kMs);
    ASSERT_FALSE(high.suspended(0));
    high.complete(0, kStart + 11 * kMs);
    dispatcher.pass(kStart + 11 * kMs);
    base::set_log_level(base::LogLevel::kDebug);
    ::testing::internal::CaptureStderr();
    dispatcher.pass(kStart + 14 * kMs);
    const std::string log = ::testing::internal::GetCapturedStderr();
    base::set_log_level(base::LogLevel::kInfo);
    EXPECT_NE(log.find("its work was delayed by 14.000 ms, for pid 200 and others\n"), std::string::npos) << log;
    EXPECT_EQ(caused(2) + caused(3), 14 * kMs + 8 * kMs) << "the second also delayed the first";
}

}  // namespace
}  // namespace xsched::dispatch
