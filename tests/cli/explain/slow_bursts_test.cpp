#include "cli/explain/slow_bursts.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::test {
namespace {

using RecordedKind = cli::TracedKind;
constexpr int64_t kMs = base::kMillisecond;

cli::TracedChange change(int64_t at_ms, RecordedKind kind, uint32_t by = 0, uint32_t reason = 2) {
    cli::TracedChange change{.at_ns = at_ms * kMs, .kind = kind, .client = 1, .slot = 0, .after = {}};
    change.after.followed = true;
    change.after.cause = {.by_client = by, .reason = reason};
    return change;
}
cli::TracedChange unfollowed(int64_t at_ms, RecordedKind kind) {
    cli::TracedChange seen = change(at_ms, kind);
    seen.after.followed = false;
    return seen;
}

TEST(SlowBursts, TellsWhatABurstWaitedFor) {
    cli::SlowBursts bursts(5 * kMs);
    bursts.see(change(10, RecordedKind::kReady));
    bursts.see(change(14, RecordedKind::kIdle));
    EXPECT_TRUE(bursts.take().empty()) << "it is not slow";
    bursts.see(change(20, RecordedKind::kSuspended, 2));
    bursts.see(change(22, RecordedKind::kReady));
    bursts.see(change(25, RecordedKind::kResumed));
    bursts.see(change(26, RecordedKind::kSuspended, 3));
    bursts.see(change(27, RecordedKind::kResumed));
    bursts.see(change(28, RecordedKind::kSuspended, 2));
    bursts.see(change(29, RecordedKind::kResumed));
    bursts.see(change(40, RecordedKind::kIdle));
    const auto slow = bursts.take();
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_EQ(slow[0].began_ns, 22 * kMs);
    EXPECT_EQ(slow[0].ns, 18 * kMs);
    EXPECT_EQ(slow[0].held_ns(), 5 * kMs);
    ASSERT_EQ(slow[0].held.size(), 2U);
    EXPECT_EQ(slow[0].held[0].cause.by_client, 2U);
    EXPECT_EQ(slow[0].held[0].ns, 4 * kMs);
    EXPECT_EQ(slow[0].held[0].times, 2U);
    EXPECT_TRUE(bursts.take().empty()) << "once";
}

TEST(SlowBursts, ABurstThatWasNotFollowedThroughoutDoesNotCount) {
    cli::SlowBursts bursts(5 * kMs);
    bursts.see(unfollowed(10, RecordedKind::kReady));
    bursts.see(unfollowed(20, RecordedKind::kIdle));
    bursts.see(unfollowed(30, RecordedKind::kReady));
    bursts.see(change(2500, RecordedKind::kFollowed));
    bursts.see(change(2510, RecordedKind::kIdle));
    bursts.see(change(2520, RecordedKind::kReady));
    bursts.see(unfollowed(2530, RecordedKind::kLeftAlone));
    bursts.see(unfollowed(2536, RecordedKind::kIdle));
    bursts.see(unfollowed(2537, RecordedKind::kReady));
    bursts.see(change(2550, RecordedKind::kFollowed));
    bursts.see(change(2540, RecordedKind::kIdle));   // these two were seen late
    bursts.see(change(2545, RecordedKind::kReady));
    bursts.see(change(2560, RecordedKind::kIdle));
    EXPECT_TRUE(bursts.take().empty());
    bursts.see(change(2570, RecordedKind::kReady));
    bursts.see(change(2572, RecordedKind::kDirected));
    bursts.see(change(2576, RecordedKind::kIdle));
    EXPECT_EQ(bursts.take().size(), 1U) << "another change is no end";
}

TEST(SlowBursts, TheFirstBurstOfAQueueThatIsFollowedFromThenOnCounts) {
    cli::SlowBursts bursts(5 * kMs);
    bursts.see(unfollowed(11, RecordedKind::kCame));
    bursts.see(unfollowed(10, RecordedKind::kReady));
    bursts.see(change(10, RecordedKind::kFollowed));
    bursts.see(change(20, RecordedKind::kIdle));
    EXPECT_EQ(bursts.take().size(), 1U);
}

TEST(SlowBursts, AnEndWithoutABeginIsNoBurst) {
    cli::SlowBursts bursts(kMs);
    bursts.see(change(10, RecordedKind::kIdle));
    bursts.see(change(20, RecordedKind::kReady));
    bursts.see(change(30, RecordedKind::kGone));
    bursts.see(change(40, RecordedKind::kIdle));
    EXPECT_TRUE(bursts.take().empty());
}

}  // namespace
}  // namespace xsched::test
