#include "base/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace xsched::base {
namespace {

TEST(Sample, RemembersTheLastNumbersAlone) {
    Sample<int, 3> sample;
    for (const int number : {9, 1, 5, 5}) sample.add(number);
    EXPECT_TRUE(sample.full());
    EXPECT_EQ(std::vector<int>(sample.sorted().begin(), sample.sorted().end()), (std::vector<int>{1, 5, 5}));
    sample.add(7);
    EXPECT_EQ(sample.least(), 5);
    EXPECT_EQ(sample.most(), 7);
}

TEST(Sample, ForgetsAllOnRequest) {
    Sample<int, 3> sample;
    for (const int number : {9, 1, 5, 5}) sample.add(number);
    sample.clear();
    EXPECT_EQ(sample.count(), 0U);
    for (const int number : {2, 4}) sample.add(number);
    EXPECT_FALSE(sample.full());
    EXPECT_EQ(sample.least(), 2);
    EXPECT_EQ(sample.most(), 4);
}

TEST(Sample, TellsQuantiles) {
    Sample<int, 8> sample;
    for (const int number : {8, 1, 7, 2, 6, 3, 5, 4}) sample.add(number);
    EXPECT_EQ(sample.quantile(1, 2), 5);
    EXPECT_EQ(sample.quantile(1, 4), 3);
    EXPECT_EQ(sample.quantile(1, 1), 8);
    EXPECT_EQ(sample.most_but(1), 7);
    EXPECT_EQ(sample.most_but(100), 1);
}

TEST(Sample, SaysWhetherTheNumbersAreAlike) {
    Sample<int, 4> sample;
    for (const int number : {10, 12, 11}) sample.add(number);
    EXPECT_TRUE(sample.alike(2));
    EXPECT_FALSE(sample.alike(1));
    sample.add(20);
    EXPECT_FALSE(sample.alike(2));
}

// A sample's sorted numbers are those of its last 8 ones, as a plain queue that is sorted each time has them.
TEST(Sample, IsSortedWhateverComes) {
    std::mt19937 random(7);
    Sample<unsigned, 8> sample;
    std::deque<unsigned> last;
    for (int step = 0; step < 1000; ++step) {
        const unsigned number = random() % 12;
        sample.add(number);
        last.push_back(number);
        if (last.size() > 8) last.pop_front();
        std::vector<unsigned> expected(last.begin(), last.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(std::vector<unsigned>(sample.sorted().begin(), sample.sorted().end()), expected) << step;
    }
}

}  // namespace
}  // namespace xsched::base
