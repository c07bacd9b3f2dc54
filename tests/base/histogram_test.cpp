// The histogram of lengths: its relative error, sums and differences, quantiles, and a reader beside the writer.
#include "base/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace xsched::base {
namespace {

using Buckets = HistogramBuckets;

HistogramCounts of(const std::vector<int64_t>& values) {
    Histogram histogram;
    for (const int64_t value : values) histogram.add(value);
    return histogram.read();
}

TEST(Histogram, BucketsFollowOneAnotherWithoutGap) {
    EXPECT_EQ(Buckets::least(0), 0);
    for (uint32_t i = 0; i < Buckets::kCount; ++i) {
        EXPECT_LT(Buckets::least(i), Buckets::least(i + 1));
        EXPECT_EQ(Buckets::of(Buckets::least(i)), i);
        EXPECT_EQ(Buckets::of(Buckets::least(i + 1) - 1), i);
    }
    EXPECT_EQ(Buckets::least(Buckets::kCount), Buckets::kMostNs + 1);
}

TEST(Histogram, StandsForAValueWithinASixteenth) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> power(0, 37);
    for (int i = 0; i < 100000; ++i) {
        const auto value = static_cast<int64_t>(std::exp2(power(random)));
        const int64_t said = Buckets::middle(Buckets::of(value));
        const double allowed = value < 1024 ? 64.0 : static_cast<double>(value) / 16;
        ASSERT_LE(std::fabs(static_cast<double>(said - value)), allowed) << value;
    }
}

TEST(Histogram, TakesAnyNumber) {
    const HistogramCounts counts = of({INT64_MIN, -1, 0, INT64_MAX});
    EXPECT_EQ(counts.count(), 4U);
    EXPECT_EQ(counts.counts.front(), 3U);
    EXPECT_EQ(counts.counts.back(), 1U);
    EXPECT_EQ(counts.sum_ns, static_cast<uint64_t>(Buckets::kMostNs));
}

TEST(Histogram, QuantilesAreThoseOfTheValues) {
    std::vector<int64_t> values;
    for (int64_t i = 1; i <= 1000; ++i) values.push_back(i * 10'000);
    const HistogramCounts counts = of(values);
    for (const double part : {0.01, 0.5, 0.9, 0.99, 1.0}) {
        const double exact = part * 1000 * 10'000;
        EXPECT_NEAR(static_cast<double>(counts.quantile(part)), exact, exact / 16) << part;
    }
    EXPECT_EQ(HistogramCounts{}.quantile(0.5), 0);
    EXPECT_EQ(of({5'000}).quantile(0), of({5'000}).quantile(1));
}

TEST(Histogram, SumsAndDifferencesAreThoseOfTheValues) {
    const HistogramCounts first = of({1'000, 20'000, 20'000});
    const HistogramCounts second = of({7, 3'000'000});
    HistogramCounts both = first;
    both.add(second);
    EXPECT_EQ(both, of({1'000, 20'000, 20'000, 7, 3'000'000}));
    both.subtract(first);
    EXPECT_EQ(both, second);
    HistogramCounts begun_again = second;
    begun_again.subtract(first);
    EXPECT_EQ(begun_again.count(), 2U) << "nothing is less than empty";
}

TEST(Histogram, AddsManyAtOnce) {
    Histogram histogram;
    histogram.add(2'000, 5);
    EXPECT_EQ(histogram.read(), of({2'000, 2'000, 2'000, 2'000, 2'000}));
}

TEST(Histogram, AllOfItsRangeIsThere) {
    Histogram histogram;
    HistogramCounts all;
    for (uint32_t i = 0; i < HistogramBuckets::kCount; ++i) {
        histogram.add(HistogramBuckets::middle(i), i + 1);
        all.counts[i] = i + 1;
    }
    EXPECT_EQ(histogram.read().counts, all.counts);
}

TEST(Histogram, AnEmptyOneIsSmall) { EXPECT_LE(sizeof(Histogram), 64U); }

TEST(Histogram, AReaderBesideTheWriterSeesItGrow) {
    constexpr int kValues = 200'000;
    Histogram histogram;
    std::thread writer([&] {
        for (int i = 0; i < kValues; ++i) histogram.add(i);
    });
    uint64_t before = 0;
    while (before < kValues) {
        const uint64_t now = histogram.read().count();
        ASSERT_GE(now, before);
        before = now;
    }
    writer.join();
    EXPECT_EQ(before, static_cast<uint64_t>(kValues));
}

}  // namespace
}  // namespace xsched::base
