#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sched/core/core.h"

namespace xsched::sched {
namespace {

TEST(Reason, EachHasItsOwnNumberAndSentence) {
    std::set<uint32_t> numbers;
    std::set<std::string> sentences;
#define XSCHED_REASON(name, number, sentence)                                \
    EXPECT_EQ(static_cast<uint32_t>(Reason::name), numbers.size()) << #name; \
    EXPECT_TRUE(numbers.insert(number).second) << #name;                     \
    EXPECT_STREQ(reason_sentence(Reason::name), sentence);                   \
    EXPECT_TRUE(sentences.insert(reason_sentence(Reason::name)).second) << #name;
#include "sched/facts/reason.def"
#undef XSCHED_REASON
}

TEST(Reason, AnUnknownNumberFromElsewhereHasASentenceToo) {
    EXPECT_NE(std::string(reason_sentence(static_cast<Reason>(999))), "");
}

}  // namespace
}  // namespace xsched::sched
