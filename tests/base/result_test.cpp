#include "base/result.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace {

using namespace xsched::base;

constexpr XResult kAll[] = {
#define XSCHED_RESULT(name, value, sentence) name,
#include "base/result.def"
#undef XSCHED_RESULT
};

TEST(Result, EveryStatusHasItsOwnNameAndSentence) {
    std::set<std::string> names;
    std::set<std::string> sentences;
    for (XResult result : kAll) {
        names.insert(result_name(result));
        sentences.insert(result_sentence(result));
        EXPECT_EQ(strncmp(result_name(result), "kXSched", 7), 0);
        EXPECT_NE(std::string(result_sentence(result)).back(), '.');
    }
    EXPECT_EQ(names.size(), std::size(kAll));
    EXPECT_EQ(sentences.size(), std::size(kAll));
}

TEST(Result, ANumberThatIsNoStatusIsUnknown) {
    EXPECT_STREQ(result_name(static_cast<XResult>(77)), "kXSchedErrorUnknown");
    EXPECT_STREQ(result_sentence(static_cast<XResult>(77)), result_sentence(kXSchedErrorUnknown));
}

}  // namespace
