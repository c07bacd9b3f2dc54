// xcli top without a terminal: what is shown of a program, and pictures of any size.
#include "cli/top/view.h"

#include "cli/cli_rig.h"
#include "cli/fit.h"
#include "cli/known_by.h"
#include "cli/top/programs.h"
#include "console/columns.h"

namespace xsched::test {
namespace {

using namespace cli;

TopRows rows_of(const Json& answer) {
    TopRows rows;
    rows.take(answer);
    return rows;
}

TEST(TopRows, AreWhatTheServerSays) {
    const TopRows rows = rows_of(answer_of(2));
    ASSERT_EQ(rows.rows().size(), 2U);
    const TopRow& row = rows.rows()[1];
    EXPECT_EQ(row.pid, 1002);
    EXPECT_EQ(row.state, "held");
    EXPECT_EQ(row.share, 30);
    EXPECT_DOUBLE_EQ(row.got, 40);
    EXPECT_DOUBLE_EQ(row.held, 10);
    EXPECT_DOUBLE_EQ(row.preemptions, 7);
    EXPECT_GT(row.burst_p99_ms, 0);
    ASSERT_EQ(rows.devices().size(), 1U);
    EXPECT_EQ(rows.devices()[0].name(), "GPU:1 (cuda)");
    EXPECT_DOUBLE_EQ(rows.devices()[0].use, 80);
    EXPECT_EQ(top_json(row)["held_percent"], 10.0);
}

TEST(TopRows, BurstsAreThoseOfTheLastLooks) {
    Json answer = answer_of(1);
    TopRows rows = rows_of(answer);
    answer["programs"][0]["bursts"]["buckets"] = {{80, 2}, {120, 50}};
    rows.take(answer);
    EXPECT_GT(rows.rows()[0].burst_p50_ms, 10) << "the two short ones were before";
    EXPECT_EQ(rows.rows()[0].history.size(), 2U);
}

TEST(TopRows, WhatIsNotKnownYetIsNotShown) {
    Json answer = answer_of(1);
    answer["programs"][0]["devices"][0]["got_percent"] = {nullptr, nullptr, nullptr};
    const TopRows rows = rows_of(answer);
    EXPECT_LT(rows.rows()[0].got, 0);
    EXPECT_LT(rows.devices()[0].use, 0);
    EXPECT_EQ(rows.rows()[0].history.back(), 0);
    EXPECT_TRUE(top_json(rows.rows()[0])["got_percent"].is_null());
}

TEST(TopRows, SortsAndFilters) {
    const TopRows rows = rows_of(answer_of(3));
    const auto first = [&](TopSort sort, bool reverse) { return rows.sorted(sort, reverse, "")[0].pid; };
    EXPECT_EQ(first(TopSort::kHeld, false), 1002);
    EXPECT_EQ(first(TopSort::kPriority, false), 1003);
    EXPECT_EQ(first(TopSort::kPriority, true), 1001);
    EXPECT_EQ(first(TopSort::kPid, false), 1001);
    EXPECT_EQ(first(TopSort::kProgram, true), 1003);
    EXPECT_EQ(rows.sorted(TopSort::kPid, false, "program3").size(), 1U);
    EXPECT_EQ(rows.sorted(TopSort::kPid, false, "1002").size(), 1U);
    EXPECT_TRUE(rows.sorted(TopSort::kPid, false, "none").empty());
}

TEST(TopView, FitsAnyWindow) {
    const TopRows rows = rows_of(answer_of(40));
    for (const size_t columns : {1U, 20U, 79U, 80U, 200U})
        for (const size_t height : {1U, 2U, 3U, 5U, 24U, 60U})
            for (const bool utf8 : {false, true})
                for (const bool help : {false, true}) {
                    TopView view;
                    view.columns = columns;
                    view.rows = height;
                    view.utf8 = utf8;
                    view.help = help;
                    const auto picture = top_picture(rows, view);
                    ASSERT_EQ(picture.size(), height) << columns;
                    for (const TopLine& line : picture) ASSERT_EQ(cut(line.text, columns), line.text);
                }
}

TEST(TopView, HasAllColumnsInEightyOfThem) {
    TopView view;
    const auto picture = top_picture(rows_of(answer_of(30)), view);
    const std::string text = text_of(picture);
    for (const char* part :
         {"policy HPF", "30 programs", "GPU:1 (cuda)", "SHR", "HISTORY", "[##   ]  40", "program2 ", "more  q quit"})
        EXPECT_TRUE(has(text, part)) << part << " is not in\n" << text;
    EXPECT_EQ(picture[3].mark, TopMark::kHeld) << "the one that is held comes first";
    view.help = true;
    for (const TopLine& line : top_picture(rows_of(answer_of(1)), view)) EXPECT_LE(line.text.size(), 80U);
    EXPECT_TRUE(has(text_of(top_picture(rows_of(answer_of(1)), view)), "a change is asked for first: y"));
}

TEST(TopView, ALongQuestionOrSentenceIsFolded) {
    TopView view;
    view.filter = "zebra";
    view.question = "policy for all programs (" + std::string(20, 'A') + " " + std::string(40, 'B') + "): PUP_";
    const auto picture = top_picture(rows_of(answer_of(3)), view);
    ASSERT_EQ(picture.size(), view.rows);
    EXPECT_TRUE(has(picture[picture.size() - 2].text, "policy for all programs")) << text_of(picture);
    EXPECT_TRUE(has(picture.back().text, "): PUP_")) << "the typed letters are seen\n" << text_of(picture);
    const std::string text = text_of(picture);
    EXPECT_TRUE(has(text, "no match: none of 3 programs")) << text;
}

TEST(TopView, ATreeHasUsersAndTheirContainers) {
    Json answer = answer_of(3);
    for (Json& each : answer["programs"]) each["uid"] = 0;
    answer["programs"][1]["uid"] = 4242;
    answer["programs"][2]["cgroup"] = "/system.slice/docker-" + std::string(64, 'a') + ".scope";
    TopView view;
    view.tree = true;
    view.sort = TopSort::kPid;
    const std::string text = text_of(top_picture(rows_of(answer), view));
    const std::vector<std::string> order{
        "user 4242\n", "program2", "user root\n", "program1", "  container aaaaaaaaaaaa\n", "program3"};
    for (size_t i = 1; i < order.size(); ++i)
        EXPECT_LT(text.find(order[i - 1]), text.find(order[i])) << order[i] << " comes too early:\n" << text;
    EXPECT_TRUE(has(text, order.back())) << text;
}

TEST(TopView, LeavesOutTheInterpreterWhereTheNameDoesNotFit) {
    EXPECT_EQ(short_name("python3 train.py", 16), "python3 train.py");
    EXPECT_EQ(short_name("python3 train.py", 15), "train.py");
    EXPECT_EQ(short_name("python3 -m vllm.server", 10), "vllm.server");
    EXPECT_EQ(short_name("a long name", 5), "a long name") << "no interpreter's";
}

TEST(TopView, CommandLinesAreToldApartInANarrowWindow) {
    const TopRows rows = rows_of(answer_of(1));
    TopRow row = rows.rows()[0];
    row.command = "/opt/folder/bin/python3 /data/serve.py --rate 10";
    TopView view;
    view.commands = true;
    EXPECT_TRUE(has(top_line(rows, row, view, 0), "python3 /data/serve")) << top_line(rows, row, view, 0);
    row.command = "/usr/bin/trainer";
    EXPECT_TRUE(has(top_line(rows, row, view, 0), " trainer ")) << top_line(rows, row, view, 0);
}

TEST(TopView, MarksBurstsOverTheirTarget) {
    Json answer = answer_of(2);
    answer["programs"][0]["slo_p99"] = 1;
    answer["programs"][1]["slo_p99"] = -130;
    const std::string text = text_of(top_picture(rows_of(answer), {}));
    EXPECT_TRUE(has(text, "TARGET") && has(text, "   1us") && has(text, "  1.3x")) << text;
    EXPECT_TRUE(has(text, " !")) << text;
    EXPECT_FALSE(has(text_of(top_picture(rows_of(answer_of(2)), {})), "TARGET")) << "no program has one";
}

TEST(TopView, CutsNoSentenceInTwentyFourRows) {
    TopView view;
    for (int i = 0; i < 15; ++i) view.below.push_back("sentence " + std::to_string(i));
    EXPECT_TRUE(has(text_of(top_picture(rows_of(answer_of(2)), view)), "sentence 14"));
    EXPECT_TRUE(has(text_of(top_picture(rows_of(answer_of(2)), view)), "program2")) << "the programs stay";
}

TEST(TopView, WideLettersTakeTwoColumns) {
    Json answer = answer_of(1);
    answer["programs"][0]["program"] = "日本日本日本日本日本日本";
    for (const TopLine& line : top_picture(rows_of(answer), {})) EXPECT_LE(console::columns_of(line.text), 80U);
}

TEST(TopView, KeepsTheChosenOneInSight) {
    TopView view;
    view.rows = 10;
    view.sort = TopSort::kPid;
    view.chosen = 30;
    const auto picture = top_picture(rows_of(answer_of(40)), view);
    EXPECT_TRUE(has(text_of(picture), "program30")) << text_of(picture);
    size_t marked = 0;
    for (const TopLine& line : picture) marked += line.mark == TopMark::kChosen ? 1 : 0;
    EXPECT_EQ(marked, 1U);
}

TEST(TopView, SaysThatNobodyIsThere) {
    EXPECT_TRUE(has(top_text(rows_of(answer_of(0)), {}), "no program is scheduled"));
}

TEST(TopView, BarsAndHistories) {
    EXPECT_EQ(top_bar(0, 11, false), "[     ]   0");
    EXPECT_EQ(top_bar(100, 11, false), "[#####] 100");
    EXPECT_EQ(top_bar(250, 11, false), "[#####] 250");
    EXPECT_EQ(top_history({0, 50, 100, 1e9}, 3, false), "=##");
    EXPECT_EQ(top_history({0, 100}, 8, true), "▁█");
}

}  // namespace
}  // namespace xsched::test
