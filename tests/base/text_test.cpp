#include "base/text.h"

#include <gtest/gtest.h>

namespace xsched::base {
namespace {

TEST(Text, AHandleAsPeopleWriteIt) {
    EXPECT_EQ(hexadecimal(0x1f), "0x1f");
    EXPECT_EQ(hexadecimal(UINT64_MAX), "0xffffffffffffffff");
}

TEST(Text, WordsAreEqualWithoutRegardToCase) {
    EXPECT_TRUE(same_word("INFO", "info"));
    EXPECT_FALSE(same_word("info", "inform"));
}

}  // namespace
}  // namespace xsched::base
