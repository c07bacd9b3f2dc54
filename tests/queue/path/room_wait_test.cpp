#include "queue/path/room_wait.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::queue {
namespace {

using Patience = RoomWait::Patience;
using Queue = RoomWait::Queue;
using base::kMillisecond;
using base::kSecond;

constexpr int64_t kShort = 1000;  // a command's length

// A caller that has waited for room in the launch window since time 0, when 7 commands were complete.
class RoomWaitTest : public ::testing::Test {
protected:
    void SetUp() override {
        EXPECT_FALSE(wait.began());
        wait.begin(0, 7);
    }
    Patience after(int64_t ns, Queue queue, int64_t command_ns = kShort, uint64_t completed = 7) {
        return wait.look(ns, completed, queue, command_ns);
    }

    RoomWait wait;
};

TEST_F(RoomWaitTest, AnOpenQueueInWhichNothingCompletesIsStuckAfterAWhile) {
    EXPECT_TRUE(wait.began());
    EXPECT_EQ(after(49 * kMillisecond, Queue::kOpen), Patience::kLeft);
    EXPECT_EQ(after(51 * kMillisecond, Queue::kOpen), Patience::kDeviceStuck);
}

TEST_F(RoomWaitTest, ACompletionStartsAnew) {
    EXPECT_EQ(after(40 * kMillisecond, Queue::kOpen), Patience::kLeft);
    EXPECT_EQ(after(45 * kMillisecond, Queue::kOpen, kShort, 8), Patience::kLeft);
    EXPECT_TRUE(wait.completes_now());
    EXPECT_EQ(after(80 * kMillisecond, Queue::kOpen, kShort, 8), Patience::kLeft);
    EXPECT_FALSE(wait.completes_now());
}

TEST_F(RoomWaitTest, LongCommandsGetLonger) {
    EXPECT_EQ(after(kSecond, Queue::kOpen, kSecond), Patience::kLeft);
    EXPECT_EQ(after(5 * kSecond, Queue::kOpen, kSecond), Patience::kDeviceStuck);
}

TEST_F(RoomWaitTest, AnotherThreadsCopyIsWaitedForLonger) {
    EXPECT_EQ(after(1900 * kMillisecond, Queue::kInCopy), Patience::kLeft);
    EXPECT_EQ(after(2100 * kMillisecond, Queue::kInCopy), Patience::kDeviceStuck);
}

TEST_F(RoomWaitTest, TheSchedulersSuspensionMayLast) {
    EXPECT_EQ(after(1000 * kSecond, Queue::kSuspended), Patience::kLeft);
}

TEST_F(RoomWaitTest, TheProgramsOwnSuspensionLastsTenSecondsForIt) {
    EXPECT_EQ(after(9 * kSecond, Queue::kSuspendedByProgram), Patience::kLeft);
    EXPECT_EQ(after(11 * kSecond, Queue::kSuspendedByProgram), Patience::kOwnSuspension);
}

}  // namespace
}  // namespace xsched::queue
