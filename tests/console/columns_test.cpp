#include "console/columns.h"

#include <gtest/gtest.h>

namespace xsched::console {
namespace {

TEST(Columns, AreThoseOfATerminal) {
    EXPECT_EQ(columns_of("abc"), 3U);
    EXPECT_EQ(columns_of("приложение"), 10U);
    EXPECT_EQ(columns_of("日本"), 4U);
    EXPECT_EQ(columns_of("\033[31mab\033[0m"), 2U) << "a colour takes no column";
    EXPECT_EQ(columns_of("e\xcc\x81"), 1U) << "an accent of its own";
}

TEST(Columns, TextIsCutBetweenLetters) {
    EXPECT_EQ(left("приложение", 6), "прило~");
    EXPECT_EQ(left("日本語", 4), "日~ ") << "half of a wide letter is not shown";
    EXPECT_EQ(left("ab", 4), "ab  ");
    EXPECT_EQ(right("ab", 4), "  ab");
    EXPECT_EQ(right("日本", 3), " 日");
}

}  // namespace
}  // namespace xsched::console
