#include "cli/explain/slow_bursts.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::test {
namespace {

using ipc::RecordedKind;
constexpr int64_t kMs = base::kMillisecond;

ipc::RecordedChange change(int64_t at_ms, RecordedKind kind, uint32_t by = 0, uint32_t reason = 2) {
    return {.at_ns = at_ms * kMs, .kind = kind, .client = 1, .slot = 0, .reason = reason, .by_client = by};
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
