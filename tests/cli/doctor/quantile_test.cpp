// Quantiles and how sure they are.
#include "cli/doctor/quantile.h"

#include <gtest/gtest.h>

#include "support/situations.h"

namespace xsched::cli {
namespace {

std::vector<double> numbers(size_t count) {
    std::vector<double> values;
    for (size_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
    return values;
}

// As in tables of order statistics: five values give no confidence interval of the median; six do, from the first to
// the last.
TEST(Quantile, AMedianNeedsSixValues) {
    const Quantile five = quantile_of(numbers(5), 0.5), six = quantile_of(numbers(6), 0.5);
    EXPECT_FALSE(five.low || five.high);
    EXPECT_EQ(six.low, 1);
    EXPECT_EQ(six.high, 6);
    EXPECT_EQ(six.value, 3);
}

// The interval of a p99 has an upper bound from 368 values on: 0.99^n is at most 0.025 from there on.
TEST(Quantile, AP99HasNoUpperBoundBelow368Values) {
    for (const auto& [count, bounded] : {std::pair{367, false}, {368, true}}) {
        const Quantile found = quantile_of(test::bursts_of({{"n", count}, {"p50", 1}, {"p99", 2}}), 0.99);
        EXPECT_EQ(found.high.has_value(), bounded) << count;
        EXPECT_TRUE(found.low) << count;
    }
    EXPECT_EQ(quantile_of(numbers(100), 0.99).value, 99);
}

// If the values drift over time, they count as fewer independent ones, so the confidence interval is wider.
TEST(Quantile, AnIntervalGrowsWithPhases) {
    const nlohmann::json mixed = {{"n", 600}, {"p50", 10}, {"p99", 20}},
                         drifting = {{"n", 600}, {"p50", 10}, {"p99", 20}, {"drifts", true}};
    const Quantile one = quantile_of(test::bursts_of(mixed), 0.5), other = quantile_of(test::bursts_of(drifting), 0.5);
    EXPECT_EQ(one.value, other.value);
    EXPECT_GT(*other.high - *other.low, 3 * (*one.high - *one.low));
    EXPECT_FALSE(quantile_of(test::bursts_of(drifting), 0.99).high) << "all long ones came at the end";
}

TEST(Quantile, SurelyBelowNeedsIntervalsThatDoNotMeet) {
    const Quantile low{1, 0.9, 1.1}, near{1.15, 1.05, 1.3}, far{2, 1.8, 2.2}, open{1, 0.9, {}};
    EXPECT_TRUE(surely_below(low, far));
    EXPECT_FALSE(surely_below(low, near));
    EXPECT_FALSE(surely_below(far, low));
    EXPECT_FALSE(surely_below(open, far));
}

TEST(Quantile, AHundredThousandValues) {
    const Quantile found = quantile_of(test::bursts_of({{"n", 100'003}, {"p50", 1}, {"p99", 2}}), 0.99);
    EXPECT_NEAR(found.value, 2, 0.01);
    EXPECT_LT(*found.high / *found.low, 1.1);
}

}  // namespace
}  // namespace xsched::cli
