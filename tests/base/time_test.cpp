#include "base/time.h"

#include <gtest/gtest.h>

namespace xsched::base {
namespace {

TEST(Time, TheEarlierOfTwoWhere0MeansNever) {
    EXPECT_EQ(earlier(3, 5), 3);
    EXPECT_EQ(earlier(5, 3), 3);
    EXPECT_EQ(earlier(0, 5), 5);
    EXPECT_EQ(earlier(5, 0), 5);
    EXPECT_EQ(earlier(0, 0), 0);
}

TEST(Time, SleepsAtLeastThatLong) {
    const int64_t began = now_ns();
    sleep_ns(2 * kMillisecond);
    EXPECT_GE(now_ns() - began, 2 * kMillisecond);
    sleep_ns(-5);  // at once
}

TEST(Time, MillisecondsKeepTheirFractions) { EXPECT_DOUBLE_EQ(milliseconds(1'500'000), 1.5); }

}  // namespace
}  // namespace xsched::base
