#include "sched/facts/off_times.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

Costs after(int times, int64_t ns, const Costs& declared = kGpu) {
    OffTimes seen;
    for (int i = 0; i < times; ++i) seen.add(ns);
    return seen.refined(declared);
}

TEST(OffTimes, AFewSayNothing) {
    EXPECT_EQ(after(OffTimes::kKept / 2 - 1, 2 * kMs), kGpu);
    EXPECT_NE(after(OffTimes::kKept / 2, 2 * kMs), kGpu);
}

TEST(OffTimes, AreFromTheDirectiveUntilTheDeviceHasObeyed) {
    const Costs costs = after(16, kMs);
    EXPECT_EQ(costs.off_us, 1000 + kGpu.effect_us);
    EXPECT_EQ(costs.switch_us, kGpu.switch_us);
    EXPECT_EQ(costs.interrupt_us, kGpu.interrupt_us);
}

TEST(OffTimes, TheNextRunBeginsWithThem) {
    OffTimes first;
    EXPECT_EQ(first.usual_us(), 0U);
    for (size_t i = 0; i < OffTimes::kKept / 2; ++i) first.add(kMs);
    EXPECT_EQ(first.usual_us(), 1000U);
    OffTimes next;
    next.begin_with(first.usual_us());
    EXPECT_EQ(next.refined(kGpu), first.refined(kGpu));
    for (size_t i = 0; i < OffTimes::kKept / 2; ++i) next.add(2 * kMs);
    EXPECT_EQ(next.usual_us(), 2000U) << "what is seen now counts";
    next.begin_with(0);
    EXPECT_EQ(OffTimes().refined(kGpu), kGpu);
}

TEST(OffTimes, OneSlowCallOfMany) {
    OffTimes seen;
    for (int i = 0; i < 15; ++i) seen.add(kMs);
    seen.add(100 * kMs);
    EXPECT_EQ(seen.refined(kGpu).off_us, 1000 + kGpu.effect_us);
    seen.add(100 * kMs);
    seen.add(100 * kMs);
    EXPECT_GT(seen.refined(kGpu).off_us, 2000U) << "three of sixteen";
}

TEST(OffTimes, OldOnesAreForgotten) {
    OffTimes seen;
    for (int i = 0; i < 16; ++i) seen.add(2 * kMs);
    for (int i = 0; i < 16; ++i) seen.add(kMs);
    EXPECT_EQ(seen.refined(kGpu).off_us, 1000 + kGpu.effect_us);
}

// Measured times count only within a factor of what the platform declares, since a process reports by itself when it is
// off, and may lie.
TEST(OffTimes, StayNearWhatThePlatformDeclares) {
    EXPECT_EQ(after(16, 0).off_us, std::max(1 + kGpu.effect_us, kGpu.off_us / OffTimes::kMostFactor));
    EXPECT_EQ(after(16, INT64_MAX).off_us, kGpu.off_us * OffTimes::kMostFactor);
    EXPECT_EQ(after(16, -5).off_us, after(16, 0).off_us);
}

TEST(OffTimes, TheMostIsNeverLessThanTheUsual) {
    const Costs slow = after(16, 50 * kMs, {.off_us = 700, .most_off_us = 1000});
    EXPECT_EQ(slow.off_us, 2800U);
    EXPECT_EQ(slow.most_off_us, 2800U);
}

TEST(OffTimes, NothingWhereThePlatformDeclaresNothing) { EXPECT_EQ(after(16, kMs, Costs{}), Costs{}); }

}  // namespace
}  // namespace xsched::sched
