// A server's answers about a trace.
#include "cli/trace/answers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>

namespace xsched::test {
namespace {

using Json = nlohmann::json;

// Answers that no proper server gives (numbers that are not whole, times before the trace) are refused.
TEST(TraceAnswers, WhatIsNoAnswerIsRefused) {
    const Json good{{"now_ns", 1000},          {"next", 0},
                    {"more", false},           {"lost", 0},
                    {"left_out", 0},           {"entries", Json::array()},
                    {"devices", Json::array()}};
    cli::TraceAnswers answers;
    answers.take(good);
    EXPECT_EQ(answers.traced().begin_ns, 1000);
    for (const Json& bad : {Json(1e300), Json(1.5), Json("1"), Json(INT64_MIN), Json(UINT64_MAX), Json(999)}) {
        Json answer = good;
        answer["now_ns"] = bad;
        EXPECT_THROW(answers.take(answer), std::exception) << bad;
    }
    Json answer = good;
    answer["entries"] = {{INT64_MAX, 0, 1, 0, 1, 0, 0, 50, 1, 4, 0}};
    EXPECT_THROW(answers.take(answer), std::exception) << "a time that cannot be added to";
}

}  // namespace
}  // namespace xsched::test
