#include "base/doubling.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace xsched::base {
namespace {

TEST(Doubling, EachIsTwiceTheLastOneUpToTheLongest) {
    Doubling<int64_t, 20, 100> length;
    EXPECT_EQ(length.last(), 0);
    for (const int64_t expected : {20, 40, 80, 100, 100}) {
        EXPECT_EQ(length.upcoming(), expected);
        EXPECT_EQ(length.next(), expected);
        EXPECT_EQ(length.last(), expected);
    }
}

TEST(Doubling, BeginsAgainWithTheFirst) {
    Doubling<unsigned, 3, 12> length;
    length.next();
    length.next();
    length.reset();
    EXPECT_EQ(length.last(), 0U);
    EXPECT_EQ(length.next(), 3U);
}

}  // namespace
}  // namespace xsched::base
