// Verdicts on measurements: every staged situation, and the edges that have none.
#include "cli/doctor/gain.h"

#include <gtest/gtest.h>

#include <map>

#include "support/situations.h"

namespace xsched::cli {
namespace {

using Json = nlohmann::json;

const char* word_of(Gain gain) {
    switch (gain) {
        case Gain::kGain: return "gain";
        case Gain::kNothingToGain: return "nothing to gain";
        case Gain::kNoGain: return "no gain";
        case Gain::kNoVerdict: break;
    }
    return "no verdict";
}

TEST(Gain, ABoundThatIsNotKnownIsToldInWords) {
    EXPECT_EQ(text_of({50, 48.8, 51.0}), "50 ms (48.8 to 51)");
    EXPECT_EQ(text_of({50, 48.8, {}}), "50 ms (at least 48.8)");
    EXPECT_EQ(text_of({50, {}, 51.0}), "50 ms (at most 51)");
    EXPECT_EQ(text_of({50, {}, {}}), "50 ms (too few for an interval)");
}

TEST(Gain, EveryStagedSituation) {
    std::map<std::string, int> groups;
    for (const Json& each : test::situations()) {
        Sharing sharing{"under XSched",
                        test::bursts_of(each["alone"]),
                        test::bursts_of(each["native"]),
                        test::bursts_of(each["shared"]),
                        each["kept"].get<double>(),
                        "its native rate",
                        {}};
        const Json load = each.value("load", Json::object());
        sharing.load = {load.value("others", 0.0), load.value("stolen", 0.0), load.value("idle", 1.0)};
        const Judged judged = judge_gain(sharing);
        EXPECT_EQ(word_of(judged.gain), each["gain"].get<std::string>()) << each["name"] << ": " << judged.says;
        for (const std::string part : each["says"])
            EXPECT_NE(judged.says.find(part), std::string::npos) << each["name"] << ": " << judged.says;
        ++groups[each["group"]];
    }
    EXPECT_GE(groups["nothing to gain"], 10);
    EXPECT_GE(groups["busy"], 4);
}

TEST(Gain, OthersDisturbOnlyWhereProcessorsAreScarce) {
    EXPECT_EQ(why_disturbed({0.4, 0, 0.55}), "");
    EXPECT_NE(why_disturbed({0.4, 0, 0.2}), "");
    EXPECT_EQ(why_disturbed({0.05, 0, 0}), "");
    EXPECT_NE(why_disturbed({0, 0.2, 0.8}), "");
}

TEST(Gain, AVictimOfWhichNothingIsKnownIsNotTold) {
    const std::vector<double> alone = test::bursts_of({{"n", 400}, {"p50", 1}, {"p99", 2}}),
                              native = test::bursts_of({{"n", 400}, {"p50", 9}, {"p99", 12}});
    const Judged judged = judge_gain({"under XSched", alone, native, alone, {}, "", {}});
    EXPECT_EQ(judged.gain, Gain::kGain);
    EXPECT_EQ(judged.says.find("keeps"), std::string::npos) << judged.says;
}

}  // namespace
}  // namespace xsched::cli
