#include "queue/room_wait.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::queue {
namespace {

using Patience = RoomWait::Patience;
using Queue = RoomWait::Queue;
using base::kMillisecond;
using base::kSecond;

constexpr int64_t kShort = 1000;  // a command's length

TEST(RoomWait, AnOpenQueueInWhichNothingCompletesIsStuckAfterAWhile) {
    RoomWait wait;
    EXPECT_FALSE(wait.began());
    wait.begin(0, 7);
    EXPECT_TRUE(wait.began());
    EXPECT_EQ(wait.look(49 * kMillisecond, 7, Queue::kOpen, kShort), Patience::kLeft);
    EXPECT_EQ(wait.look(51 * kMillisecond, 7, Queue::kOpen, kShort), Patience::kDeviceStuck);
}

TEST(RoomWait, ACompletionStartsAnew) {
    RoomWait wait;
    wait.begin(0, 7);
    EXPECT_EQ(wait.look(40 * kMillisecond, 7, Queue::kOpen, kShort), Patience::kLeft);
    EXPECT_EQ(wait.look(45 * kMillisecond, 8, Queue::kOpen, kShort), Patience::kLeft);
    EXPECT_TRUE(wait.completes_now());
    EXPECT_EQ(wait.look(80 * kMillisecond, 8, Queue::kOpen, kShort), Patience::kLeft);
    EXPECT_FALSE(wait.completes_now());
}

TEST(RoomWait, LongCommandsGetLonger) {
    RoomWait wait;
    wait.begin(0, 7);
    EXPECT_EQ(wait.look(kSecond, 7, Queue::kOpen, kSecond), Patience::kLeft);
    EXPECT_EQ(wait.look(5 * kSecond, 7, Queue::kOpen, kSecond), Patience::kDeviceStuck);
}

TEST(RoomWait, AnotherThreadsCopyIsWaitedForLonger) {
    RoomWait wait;
    wait.begin(0, 7);
    EXPECT_EQ(wait.look(1900 * kMillisecond, 7, Queue::kInCopy, kShort), Patience::kLeft);
    EXPECT_EQ(wait.look(2100 * kMillisecond, 7, Queue::kInCopy, kShort), Patience::kDeviceStuck);
}

TEST(RoomWait, TheSchedulersSuspensionMayLast) {
    RoomWait wait;
    wait.begin(0, 7);
    EXPECT_EQ(wait.look(1000 * kSecond, 7, Queue::kSuspended, kShort), Patience::kLeft);
}

TEST(RoomWait, TheProgramsOwnSuspensionLastsTenSecondsForIt) {
    RoomWait wait;
    wait.begin(0, 7);
    EXPECT_EQ(wait.look(9 * kSecond, 7, Queue::kSuspendedByProgram, kShort), Patience::kLeft);
    EXPECT_EQ(wait.look(11 * kSecond, 7, Queue::kSuspendedByProgram, kShort), Patience::kOwnSuspension);
}

}  // namespace
}  // namespace xsched::queue
