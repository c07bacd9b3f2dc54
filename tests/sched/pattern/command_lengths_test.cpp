#include "sched/pattern/command_lengths.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

TEST(CommandLengths, NothingIsKnownOfThePast) {
    CommandLengths lengths;
    lengths.observe(1000, 1000 * kMs, kMs);
    EXPECT_EQ(lengths.lately_ns(kMs), 0);
    EXPECT_EQ(lengths.just_now_ns(kMs), 0);
}

TEST(CommandLengths, AreMeansOfSamplesThatAreLongEnough) {
    CommandLengths lengths;
    lengths.observe(10, 0, kMs);
    lengths.observe(12, kMs / 2, 2 * kMs);
    EXPECT_EQ(lengths.lately_ns(2 * kMs), 0) << "two commands of a quarter of a millisecond say little";
    lengths.observe(14, 2 * kMs, 4 * kMs);
    EXPECT_EQ(lengths.lately_ns(4 * kMs), kMs / 2);
    lengths.observe(14 + kSampleCommands, 2 * kMs + 160'000, 5 * kMs);
    EXPECT_GT(lengths.lately_ns(5 * kMs), kMs / 3) << "short ones do not hide long ones";
}

TEST(CommandLengths, AreForgottenTheOneSoonTheOtherLater) {
    CommandLengths lengths;
    lengths.observe(0, 0, kMs);
    lengths.observe(2, 2 * kMs, 3 * kMs);
    int64_t now = 3 * kMs + kLookAtAllNs;
    lengths.observe(100, 3 * kMs, now);
    EXPECT_LT(lengths.just_now_ns(now), kMs / 10);
    EXPECT_GT(lengths.lately_ns(now), kMs / 2);
    now += kLatelyNs;
    EXPECT_EQ(lengths.lately_ns(now), 0) << "also where nothing completes";
}

TEST(CommandLengths, CountsThatGoBackwardsBeginAnew) {
    CommandLengths lengths;
    lengths.observe(100, 100 * kMs, kMs);
    lengths.observe(50, 20 * kMs, 2 * kMs);
    EXPECT_EQ(lengths.lately_ns(2 * kMs), 0);
    lengths.observe(52, 24 * kMs, 3 * kMs);
    EXPECT_EQ(lengths.lately_ns(3 * kMs), 2 * kMs);
}

}  // namespace
}  // namespace xsched::sched
