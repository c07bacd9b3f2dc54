#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class ShowRules : public WithCli {
protected:
    void write(const std::string& text, const std::string& name = "etc/x.toml") { make_file(directory / name, text); }
    Json given(const std::vector<std::string>& words) {
        std::vector<std::string> all{"rules", "test", "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return xcli(all).json()["given"];
    }
};

TEST_F(ShowRules, TestSaysWhatACommandGetsAndByWhichRule) {
    write("[[rule]]\nname = \"true\"\npriority = -10\nslo_p99 = \"1.3x\"\n[[rule]]\nuser = 12345\nshare = 3\n");
    write("[[rule]]\nname = \"true\"\npriority = -5\n", "own/y.toml");
    EXPECT_EQ(given({"--", "true", "--help"}),
              (Json{{{"name", "priority"}, {"value", "-5"}, {"rule", directory / "own/y.toml:1"}},
                    {{"name", "slo_p99"}, {"value", "1.3x"}, {"rule", directory / "etc/x.toml:1"}}}));
    EXPECT_EQ(given({"--user", "12345", "--", "true"}).size(), 3U) << "the user's own rules are not another user's";
    EXPECT_EQ(given({"--user", "12345", "--", "true"})[0]["value"], "-10");
    EXPECT_EQ(given({"--", "false"}), Json::array());
    EXPECT_TRUE(has(xcli({"rules", "test", "--", "false"}).out, "no rule fits"));
    const std::string script = directory / "python9";
    std::ofstream(script) << "#!/bin/bash\nexec python3 \"$@\"\n";
    chmod(script.c_str(), 0755);
    EXPECT_TRUE(has(xcli({"rules", "test", "--", script}).out, "python9 is a script of bash: what it starts"));
    expect_sentence({"rules", "test", "--", "no-such-program"}, "there is no program no-such-program in PATH");
    expect_sentence({"rules", "test"}, "say which command");
}

TEST_F(ShowRules, AScriptIsItsInterpreterAndItself) {
    make_file(directory / "vllm", "#!/usr/bin/env python3\n");
    chmod((directory / "vllm").c_str(), 0755);
    write("[[rule]]\nname = \"vllm\"\npriority = 20\n[[rule]]\nname = \"python3\"\nshare = 9\n");
    EXPECT_EQ(given({"--", directory / "vllm", "serve"}).size(), 2U);
}

TEST_F(ShowRules, ListsAllWithTheirPlaces) {
    write("[[rule]]\nname = [\"a\", \"b\"]\npriority = 3\nbackground = false\n");
    const Outcome outcome = xcli({"rules"});
    EXPECT_TRUE(has(outcome.out, "x.toml:1")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "name = [\"a\",\"b\"], priority = 3, background = false")) << outcome.out;
}

TEST_F(ShowRules, LoadHandsTheUsersRulesToTheServerOfAllUsers) {
    write("[[rule]]\nname = \"a\"\npriority = 3\n");
    write("[[rule]]\nname = \"b\"\npriority = 4\n", "own/y.toml");
    start({"--system"});
    EXPECT_EQ(xcli({"rules", "load"}).out, "the server has 1 rule for your programs\n");
    const Json rules = answer_of_server(socket(), {{"cmd", "rules"}})["rules"];
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_EQ(rules[0]["rule"]["name"], "b");
}

TEST_F(ShowRules, LoadHasTheUsersOwnServerReadItsFilesAgain) {
    start();
    write("[[rule]]\nname = \"b\"\npriority = 4\n", "own/y.toml");
    EXPECT_EQ(xcli({"rules", "load"}).out, "the server is your own: it has read all files again, and has 1 rule\n");
    const Json rules = answer_of_server(socket(), {{"cmd", "rules"}})["rules"];
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_EQ(rules[0]["rule"]["name"], "b");
    write("[[rule]]\nname = \"b\"\npriority = high\n", "own/y.toml");
    const Outcome wrong = xcli({"rules", "load"});
    EXPECT_EQ(wrong.status, 2) << wrong.err;
    EXPECT_TRUE(has(wrong.err, "something in the files is wrong, so the server goes on as before")) << wrong.err;
}

TEST_F(ShowRules, TestSaysThatTheServerHasOtherRules) {
    const std::string said = "xcli: the server has other rules than the files have now: ";
    const auto test = [this] { return xcli({"rules", "test", "--", "true"}).err; };
    const auto loaded = [this] { return xcli({"rules", "test", "--json", "--", "true"}).json()["loaded"]; };
    EXPECT_EQ(test(), "") << "none answers";
    EXPECT_EQ(loaded(), Json());
    for (const bool is_system : {false, true}) {
        write("[[rule]]\nname = [\"true\", \"b\"]\npriority = 4\nslo_p99 = \"1.3x\"\nbackground = false\n",
              "own/y.toml");
        start(is_system ? std::vector<std::string>{"--system"} : std::vector<std::string>{});
        EXPECT_TRUE(!is_system || xcli({"rules", "load"}).status == 0);
        EXPECT_FALSE(has(test(), said)) << test();
        EXPECT_EQ(loaded(), Json(true));
        write("# a line moves the rule\n[[rule]]\nname = \"true\"\npriority = 5\n", "own/y.toml");
        EXPECT_TRUE(has(test(), said + "'xcli rules load' ")) << test();
        EXPECT_EQ(loaded(), Json(false));
        const std::string run = xcli({"run", "--", "/bin/true"}).err;
        EXPECT_EQ(has(run, said), !is_system) << "xcli run hands a user's rules over: " << run;
        EXPECT_EQ(xcli({"rules", "load"}).status, 0);
        EXPECT_FALSE(has(test() + xcli({"run", "--", "/bin/true"}).err, said));
        write("[[rule]]\nname = \"a\"\npriority = 3\n");
        EXPECT_TRUE(has(xcli({"rules"}).err, said + (is_system ? "'systemctl reload" : "'xcli rules load'")));
        server->stop();
        write("");
    }
}

TEST_F(ShowRules, TestSaysWhatThePolicyInForceIgnores) {
    write("[[rule]]\nname = \"true\"\nshare = 30\npriority = 3\n");
    const std::string sentence = "x.toml:1: policy HPF does not use share to decide who runs; PUP, SPUP do\n";
    EXPECT_TRUE(has(xcli({"rules", "test", "--", "true"}).err, sentence)) << "no server: the configured policy";
    start({"PUP"});
    const Outcome outcome = xcli({"rules", "test", "--", "true"});
    EXPECT_TRUE(has(outcome.err, "policy PUP does not use priority")) << outcome.err;
    EXPECT_FALSE(has(outcome.err, "not use share")) << outcome.err;
    EXPECT_EQ(xcli({"rules", "test", "--json", "--", "true"}).json()["ignored"][0]["hint"], "priority");
    EXPECT_EQ(xcli({"rules", "test", "--", "false"}).err, "");
    write("[[rule]]\nname = \"true\"\nbackground = true\n");
    EXPECT_TRUE(has(xcli({"rules", "test", "--", "true"}).err,
                    "x.toml:1: background does not make the program less urgent under policy PUP"));
}

}  // namespace
}  // namespace xsched::test
