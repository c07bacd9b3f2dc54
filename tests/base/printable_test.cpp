#include "base/printable.h"

#include <gtest/gtest.h>

namespace xsched::base {
namespace {

TEST(Printable, LettersOfAllLanguagesStay) {
    for (const char* text : {"trainer", "приложение", "日本", "naïve", "🙂 model"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatControlsATerminalOrTheOrderOfLettersDoesNot) {
    EXPECT_EQ(printable("a\033[31mb"), "a?[31mb");
    EXPECT_EQ(printable("a\nb\x7f"), "a?b?");
    EXPECT_EQ(printable("a\xc2\x9b"
                        "b"),
              "a??b")
        << "a control character of two bytes";
    EXPECT_EQ(printable("a\xe2\x80\xae"
                        "b"),
              "a???b")
        << "the order of letters, from here on, from right to left";
    EXPECT_EQ(printable(""), "?");
}

TEST(Printable, WhatIsNoUtf8DoesNot) {
    EXPECT_EQ(printable("a\xff"
                        "b"),
              "a?b");
    EXPECT_EQ(printable("a\xd0"), "a?") << "cut within a letter";
    EXPECT_EQ(printable("\xc0\xaf"), "??") << "a slash that is longer than it may be";
    EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "half of a pair of UTF-16";
}

}  // namespace
}  // namespace xsched::base
