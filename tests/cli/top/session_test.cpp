// The keys of xcli top, without a terminal and with a server that is a function.
#include "cli/top/session.h"

#include "cli/cli_rig.h"
#include "cli/top/programs.h"

namespace xsched::test {
namespace {

using namespace cli;

class TopKeys : public ::testing::Test {
protected:
    TopKeys()
        : session(
              [this](const Json& request, const char* pages) -> Json {
                  if (request["cmd"] == "list")
                      return {{"queues",
                               {{{"client", 2},
                                 {"priority", 77},
                                 {"group_gets", {{"highest_priority", 66}}},
                                 {"reason", reason}}}}};
                  if (pages != nullptr && request["cmd"] == "policy")
                      return {{"policies", {{{"name", "HPF"}}, {{"name", "CFS"}}}}};
                  if (pages == nullptr) orders.push_back(request);
                  if (pages == nullptr && refuses) throw Refusal("the server says no");
                  Json answer = answer_of(programs);
                  if (request["cmd"] == "hint") answer.update(hint_answer);
                  return answer;
              },
              TopView{},
              {.send = [this](int64_t pid, int signal) { return act(pid, signal); },
               .renice = [this](int64_t pid, int nice) { return act(pid, nice); }}) {
        session.look();
    }
    bool press(const std::string& keys) {
        bool stays = true;
        for (const char key : keys) stays = session.press(key == '\n' ? int{kKeyEnter} : key);
        return stays;
    }
    int act(int64_t pid, int number) {
        acts.emplace_back(pid, number);
        return refuses ? EPERM : 0;
    }
    std::string shown() { return text_of(session.picture(80, 24, false)); }
    // Clicks on the line that has this text.
    void click(const std::string& text) {
        const auto lines = session.picture(80, 24, false);
        for (size_t i = 0; i < lines.size(); ++i)
            if (has(lines[i].text, text)) session.press(kKeyClick + static_cast<int>(i));
    }
    std::vector<std::pair<int64_t, int>> acts;
    std::vector<Json> orders;
    Json hint_answer = Json::object();
    bool refuses = false;
    std::string reason = "x";
    int programs = 3;
    TopSession session;
};

TEST_F(TopKeys, LeaveAndHelp) {
    EXPECT_TRUE(press("?"));
    EXPECT_TRUE(has(shown(), "this help"));
    EXPECT_FALSE(press("q"));
}

TEST_F(TopKeys, AChangeIsAskedForFirst) {
    press("jp7\n");
    EXPECT_TRUE(has(shown(), "set the priority of pid 1002 (program2) to 7? (y/n)")) << shown();
    EXPECT_TRUE(orders.empty());
    press("n");
    EXPECT_TRUE(orders.empty());
    press("p-7\ny");
    ASSERT_EQ(orders.size(), 1U);
    EXPECT_EQ(orders[0], (Json{{"cmd", "hint"}, {"pid", 1002}, {"priority", -7}}));
    EXPECT_TRUE(has(shown(), "done"));
}

TEST_F(TopKeys, AHintWithLessEffectThanAskedForSaysSo) {
    hint_answer = {{"highest_priority", 3}};
    press("jp7\ny");
    EXPECT_TRUE(has(shown(), "done; a limit leaves priority 3 of that")) << shown();
    hint_answer = {{"policy", "HPF"}, {"unused", {{{"hint", "share"}, {"used_by", {"PUP"}}}}}};
    press("h20\ny");
    EXPECT_TRUE(has(shown(), "done; policy HPF does not use share")) << shown();
}

TEST_F(TopKeys, AKeyThatNeedsAProgramSaysThatThereIsNone) {
    press("/zebra\n");
    for (const char key : {'p', 'h', 'z', 'n', 'T', 'K', 'j', 'k', '\n', 'e'}) {
        press({key});
        EXPECT_TRUE(has(shown(), "no program has \"zebra\" in its name or number: Esc shows all")) << key << shown();
        press("?");
        press("?");
        EXPECT_FALSE(has(shown(), "no program has")) << key;
    }
    programs = 0;
    session.press(kKeyEscape);
    session.look();
    press("p");
    EXPECT_TRUE(has(shown(), "there is no program: 'xcli run -- PROGRAM' starts one")) << shown();
}

TEST_F(TopKeys, QueuesHaveThePriorityThatCounts) {
    press("j\n");
    EXPECT_TRUE(has(shown(), " 66 ")) << shown();
    EXPECT_FALSE(has(shown(), "77")) << shown();
}

TEST_F(TopKeys, SuspendShareAndPolicy) {
    press("jzy");
    press("h20\ny");
    press("P");
    EXPECT_TRUE(has(shown(), "policy for all programs (HPF CFS): ")) << shown();
    press("CFS\ny");
    ASSERT_EQ(orders.size(), 3U);
    EXPECT_EQ(orders[0], (Json{{"cmd", "suspend"}, {"pid", 1002}}));
    EXPECT_EQ(orders[1], (Json{{"cmd", "hint"}, {"pid", 1002}, {"share", 20}}));
    EXPECT_EQ(orders[2], (Json{{"cmd", "policy"}, {"name", "CFS"}}));
}

TEST_F(TopKeys, WhatTheServerRefusesIsShown) {
    refuses = true;
    press("jzy");
    EXPECT_TRUE(has(shown(), "the server says no"));
    press("PCSF\n");
    EXPECT_TRUE(has(shown(), "there is no policy \"CSF\"")) << shown();
    press("p7x\n");
    EXPECT_TRUE(has(shown(), "\"7x\" is no whole number from -256..255")) << shown();
    press("p999\n");
    EXPECT_TRUE(has(shown(), "\"999\" is no whole number from -256..255")) << shown();
}

TEST_F(TopKeys, NothingIsChangedWithoutAChoice) {
    press("z");
    EXPECT_TRUE(has(shown(), "choose a program first"));
    press("y");
    EXPECT_TRUE(orders.empty());
}

TEST_F(TopKeys, EndAndReniceTheProcess) {
    press("jT");
    EXPECT_TRUE(has(shown(), "terminate pid 1002 (program2)? (y/n)")) << shown();
    EXPECT_TRUE(acts.empty());
    press("n");
    EXPECT_TRUE(acts.empty());
    press("TyKyn5\ny");
    EXPECT_EQ(acts, (std::vector<std::pair<int64_t, int>>{{1002, SIGTERM}, {1002, SIGKILL}, {1002, 5}}));
    refuses = true;
    press("Ty");
    EXPECT_TRUE(has(shown(), "not done: Operation not permitted")) << shown();
}

TEST_F(TopKeys, AClickChoosesAndExplains) {
    click("program3");
    EXPECT_EQ(session.view().chosen, 3U);
    EXPECT_FALSE(has(shown(), "asked for: priority"));
    click("program3");
    EXPECT_TRUE(has(shown(), "asked for: priority")) << shown();
    click("PROGRAM");
    EXPECT_EQ(session.view().chosen, 3U) << "a click elsewhere changes nothing";
}

TEST_F(TopKeys, CommandLinesAndTheTree) {
    press("c");
    EXPECT_TRUE(session.view().commands);
    press("t");
    EXPECT_TRUE(has(shown(), "user root")) << shown();
    press("j");
    EXPECT_EQ(session.view().chosen, 2U) << "the first below the user's line";
}

TEST_F(TopKeys, AFilterThatMatchesNothingSaysSo) {
    press("/zebra\n");
    EXPECT_TRUE(has(shown(), "no match: none of 3 programs has \"zebra\" in its name, command line")) << shown();
    session.press(kKeyEscape);
    EXPECT_TRUE(has(shown(), "program2")) << shown();
}

TEST_F(TopKeys, AFilterDropsTheChoiceOfAProgramThatItHides) {
    click("program2");
    press("/program3\nT");
    EXPECT_EQ(session.view().chosen, 0U);
    EXPECT_TRUE(has(shown(), "choose a program first")) << shown();
    press("y");
    EXPECT_TRUE(acts.empty());
    press("jTy");
    ASSERT_EQ(acts.size(), 1U);
    EXPECT_EQ(acts[0].first, 1003);
}

TEST_F(TopKeys, FoldsTheReasonsOfQueues) {
    reason = "makes room for a more urgent program, which has had the device ever since";
    press("j\n");
    EXPECT_TRUE(has(shown(), "ever since")) << shown();
}

TEST_F(TopKeys, FilterSortAndQueues) {
    press("/program3\n");
    EXPECT_FALSE(has(shown(), "program2"));
    press("/");
    for (int i = 0; i < 8; ++i) session.press(kKeyErase);
    press("\n");
    EXPECT_TRUE(has(shown(), "program2"));
    press("s");
    EXPECT_TRUE(has(shown(), "by P99"));
    press("j\n");
    EXPECT_TRUE(has(shown(), "#1") || has(shown(), "QUEUE")) << shown();
    press("e");
    EXPECT_TRUE(has(shown(), "asked for: priority")) << shown();
    session.press(kKeyEscape);
    EXPECT_FALSE(has(shown(), "asked for: priority"));
}

}  // namespace
}  // namespace xsched::test
