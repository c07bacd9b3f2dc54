// Rounds of the main job become one result, and its bursts become quantiles.
#include "cli/doctor/main_job.h"

#include <gtest/gtest.h>

namespace xsched::cli {
namespace {

ChildResult round_of(const char* latencies, double rate, Load load = {}) {
    ChildResult result;
    result.ending = Ending::kDone;
    result.found = {{"urgent", {{"latency_us", latencies}, {"exact", true}}},
                    {"victim", {{"kernels_per_s", rate}, {"exact", true}}}};
    result.load = load;
    result.seconds = 3;
    return result;
}

TEST(MainJob, RoundsAreAddedInTheOrderOfTime) {
    ChildResult all;
    add_round(all, round_of("1000 3000 2000", 10, {0.2, 0, 0.4}));
    add_round(all, round_of("5000 4000", 20, {0, 0.1, 0.8}));
    EXPECT_EQ(bursts_ms(all.found["urgent"]), (std::vector<double>{1, 3, 2, 5, 4}));
    EXPECT_EQ(all.found["urgent"]["p50_ms"], 3);
    EXPECT_EQ(all.found["urgent"]["max_ms"], 5);
    EXPECT_EQ(all.found["victim"]["kernels_per_s"], 15);
    EXPECT_EQ(all.seconds, 6);
    EXPECT_DOUBLE_EQ(all.load.others, 0.1);
    EXPECT_DOUBLE_EQ(all.load.idle, 0.6);
    add_round(all, round_of("1000", 45));
    EXPECT_EQ(all.found["victim"]["kernels_per_s"], 25) << "three rounds count alike";
}

TEST(MainJob, ARoundThatFailsOrIsWrongDecides) {
    ChildResult all;
    add_round(all, round_of("1000", 10));
    ChildResult wrong = round_of("1000", 10);
    wrong.found["victim"]["exact"] = false;
    add_round(all, wrong);
    EXPECT_EQ(all.found["victim"]["exact"], false);
    ChildResult hung;
    hung.ending = Ending::kHung;
    hung.says = "no answer";
    add_round(all, hung);
    EXPECT_EQ(all.ending, Ending::kHung);
    EXPECT_EQ(all.says, "no answer");
}

// Results of way trials contain other results: quantiles are added to all of them, at every depth.
TEST(MainJob, QuantilesAreAddedWhereverBurstsAre) {
    Json found = {{"ok", true}, {"beside", {{"alone", {{"latency_us", "1000 1000 1000 1000 1000 2000"}}}}}};
    add_quantiles(found);
    EXPECT_EQ(found["beside"]["alone"]["p50_ms"], 1);
    EXPECT_EQ(found["beside"]["alone"]["bursts"], 6);
    EXPECT_EQ(found["beside"]["alone"]["p50_interval_ms"], Json::array({1, 2}));
    EXPECT_TRUE(found["beside"]["alone"]["p99_interval_ms"][1].is_null()) << "six bursts do not bound a p99";
    Json none = {{"latency_us", ""}};
    add_quantiles(none);
    EXPECT_EQ(none["bursts"], 0);
}

TEST(MainJob, TheLegendSaysWhatIsGood) {
    const std::string legend = job_legend();
    const std::string others = job_headings()[4].substr(1);
    EXPECT_NE(legend.find(others + ": "), std::string::npos) << legend;
    EXPECT_NE(legend.find("less than 50 % of that is not advised"), std::string::npos) << legend;
    EXPECT_NE(legend.find("the guard may let the compiler make a faster kernel"), std::string::npos) << legend;
}

TEST(MainJob, OneBusyRunOfTheThreeSpoilsTheVerdict) {
    std::string fast, slow;
    for (int i = 0; i < 400; ++i) {
        fast += std::to_string(1000 + i % 7) + " ";
        slow += std::to_string(9000 + i % 7) + " ";
    }
    const ChildResult alone = round_of(fast.c_str(), 0), native = round_of(slow.c_str(), 10),
                      level = round_of(fast.c_str(), 9);
    EXPECT_EQ(judge_job(alone, native, level).gain, Gain::kGain);
    ChildResult busy = native;
    busy.load = {0.5, 0, 0};
    EXPECT_EQ(judge_job(alone, busy, level).gain, Gain::kNoVerdict);
}

}  // namespace
}  // namespace xsched::cli
