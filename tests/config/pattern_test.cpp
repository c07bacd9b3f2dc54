#include "config/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace xsched::config {
namespace {

TEST(Pattern, StarsAndQuestionMarks) {
    EXPECT_TRUE(fits_pattern("python*", "python3.11"));
    EXPECT_TRUE(fits_pattern("*train*", "python3 train.py"));
    EXPECT_TRUE(fits_pattern("a?c", "abc"));
    EXPECT_TRUE(fits_pattern("*a*b", "xaab"));
    EXPECT_TRUE(fits_pattern("*", ""));
    EXPECT_FALSE(fits_pattern("", "a"));
    EXPECT_FALSE(fits_pattern("a?", "a"));
    EXPECT_FALSE(fits_pattern("*ab", "abc"));
    EXPECT_FALSE(fits_pattern("vllm", "vllm2"));
}

// A pattern with many stars: matching it by backtracking over all ways to divide the text would take years.
TEST(Pattern, ManyStarsTakeNoLongTime) {
    std::string pattern;
    for (int i = 0; i < 40; ++i) pattern += "*a";
    EXPECT_FALSE(fits_pattern(pattern + "*b", std::string(4000, 'a')));
}

}  // namespace
}  // namespace xsched::config
