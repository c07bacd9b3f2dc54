#include "config/configuration.h"

#include <gtest/gtest.h>

#include "config/text.h"
#include "support/environment.h"

namespace xsched::config {
namespace {

TEST(Configuration, ALaterFileComesBeforeAnEarlierOne) {
    Configuration all;
    add_file(all, {"/etc/xsched/a.toml", "[server]\npolicy = \"UP\"\nspin-us = 5\n", false});
    add_file(all, {"/own/u/b.toml", "[server]\n\npolicy = \"PUP\"\n", true});
    EXPECT_EQ(all.complaints(), "");
    EXPECT_EQ(all.text("server.policy"), "PUP");
    EXPECT_EQ(all.settings.at("server.policy").source, "/own/u/b.toml:3");
    EXPECT_EQ(all.text("server.spin_us"), "5") << "hyphens count as underscores";
    EXPECT_EQ(all.text("server.starvation_limit_ms"), "1000") << "the default";
}

TEST(Configuration, TheEnvironmentComesBeforeFiles) {
    const test::WithEnvironment environment({{"XSERVER_POLICY", "UP"}, {"XSERVER_SPIN_US", "much"}});
    Configuration all = of_text("[server]\npolicy = \"PUP\"\nspin_us = 3");
    add_environment(all);
    EXPECT_EQ(all.settings.at("server.policy"), (Value{"UP", "XSERVER_POLICY"}));
    EXPECT_EQ(all.text("server.spin_us"), "3") << "a bad value costs only itself";
    EXPECT_EQ(all.complaints(),
              "XSERVER_SPIN_US: spin_us is to be a whole number from -1 to 1000000 (us), not \"much\"\n");
}

TEST(Configuration, ABadValueIsNamedAndTheOthersHold) {
    const Configuration all = of_text(
        "[server]\npolicy = \"HFP\"\nstarvation_limit_ms = -1\nspin_us = 7\nflight_recorder = false\n"
        "[options]\nlog_levle = \"WARN\"\npriority = 3\n[sever]\nx = 1\n");
    EXPECT_EQ(all.text("server.spin_us"), "7");
    EXPECT_EQ(all.text("server.flight_recorder"), "0");
    const std::string said = all.complaints();
    EXPECT_NE(said.find("x.toml:2: policy is to be one of "), std::string::npos) << said;
    EXPECT_NE(said.find("(did you mean \"HPF\"?)"), std::string::npos) << said;
    EXPECT_NE(said.find("x.toml:3: starvation_limit_ms is to be a whole number from 0 to 3600000 (ms), not \"-1\""),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("x.toml:7: [options] has no \"log_levle\" (did you mean \"log_level\"?)"), std::string::npos);
    EXPECT_NE(said.find("x.toml:8: [options] has no \"priority\": it is a hint"), std::string::npos) << said;
    EXPECT_NE(said.find("x.toml:9: there is no \"sever\""), std::string::npos) << said;
    EXPECT_EQ(all.problems.size(), 5U) << said;
}

TEST(Configuration, AnUnreadableLineCostsThisLine) {
    const Configuration all =
        of_text("[server]\npolicy = UP\nspin_us = 7\n[options\nlog_level = \"WARN\"\n[limits]\nshare = 3\n");
    EXPECT_EQ(all.text("server.spin_us"), "7");
    EXPECT_EQ(all.text("options.log_level"), "INFO") << "the line that begins its table cannot be read";
    EXPECT_EQ(all.limits.count("share"), 1U);
    EXPECT_NE(all.complaints().find("x.toml:2: this is no TOML"), std::string::npos) << all.complaints();
    EXPECT_NE(all.complaints().find("write policy = \"UP\""), std::string::npos) << all.complaints();
    EXPECT_NE(all.complaints().find("x.toml:4: "), std::string::npos) << all.complaints();
}

// Advice for a line that is no TOML can be typed as it stands.
TEST(Configuration, TheAdviceForAValueWithoutQuotesIsRight) {
    const auto told = [](const std::string& line) { return of_text("[[rule]]\nname = \"a\"\n" + line).complaints(); };
    for (const char* on : {"yes", "Yes", "on", "True", "TRUE"})
        EXPECT_NE(told("background = " + std::string(on)).find(": write background = true;"), std::string::npos)
            << told("background = " + std::string(on));
    for (const char* off : {"no", "off", "OFF", "False"})
        EXPECT_NE(told("never = " + std::string(off)).find(": write never = false;"), std::string::npos);
    EXPECT_NE(told("side-by-side = maybe").find(": write side-by-side = true, or side-by-side = false;"),
              std::string::npos);
    EXPECT_NE(told("memory_limit = 2GiB").find(": write memory_limit = \"2GiB\";"), std::string::npos);
    EXPECT_NE(told("priority = high").find("priority is to be a whole number from -256 to 255, not \"high\""),
              std::string::npos)
        << told("priority = high");
    EXPECT_NE(told("name = yes").find(": write name = \"yes\";"), std::string::npos) << "a program's name";
}

// If a line of a rule cannot be read, the whole rule is left out: without the condition in that line the rule would
// hold for more programs, perhaps for all.
TEST(Configuration, ARuleWithAnUnreadableLineDoesNotCount) {
    const Configuration all =
        of_text("[[rule]]\nname = ollama\npriority = 3\n[[rule]]\nname = \"vllm\"\npriority = 20\n");
    ASSERT_EQ(all.rules.size(), 1U);
    EXPECT_EQ(all.rules[0].place, "x.toml:4");
}

TEST(Configuration, LimitsAreReadAndBelongToTheAdministrator) {
    const std::string text =
        "[limits]\nhighest_priority = 50\nclient = 3\n[limits.user.root]\nshare = 30\n"
        "[limits.cgroup.\"/system.slice/ollama.service\"]\nmemory-limit = \"20GiB\"\nshare = 200\n";
    const Configuration all = of_text(text);
    EXPECT_EQ(all.limits.at("highest-priority"), (Value{"50", "x.toml:2"}));
    EXPECT_EQ(all.limits.at("root:share").text, "30");
    EXPECT_EQ(all.limits.at("/system.slice/ollama.service:memory-limit").text, "20GiB");
    EXPECT_NE(all.complaints().find("x.toml:3: there is no limit \"client\""), std::string::npos) << all.complaints();
    EXPECT_NE(all.complaints().find("(did you mean \"clients\"?)"), std::string::npos) << all.complaints();
    EXPECT_NE(all.complaints().find("x.toml:8: share=200 is not a whole number from 0 to 100"), std::string::npos);
    const Configuration users = of_text(text, true);
    EXPECT_TRUE(users.limits.empty());
    EXPECT_EQ(users.complaints(), "x.toml:1: limits are the administrator's: they do not count in a user's file\n");
}

TEST(Configuration, TheNameThatWasMeantIsTold) {
    const std::pair<const char*, const char*> all[] = {
        {"[options]\nXSCHED_COPY_PIECE = 0\n", "has no \"XSCHED_COPY_PIECE\" (did you mean \"copy_piece\"?)"},
        {"[options]\nxsched_copy_pice = 0\n", "(did you mean \"copy_piece\"?)"},
        {"[options]\nXSCHED_AUTO_XQUEUE_PRIORITY = 3\n", ": it is a hint, which a [[rule]] gives: priority"},
        {"[options]\npolicy = \"UP\"\n", "[options] has no \"policy\": write it in [server]"},
        {"[server]\nXSERVER_SPIN_US = 3\n", "(did you mean \"spin_us\"?)"},
        {"[limits.group.\"/a\"]\nshare = 3\n", "[limits] has no table \"group\": use [limits.user.NAME] and "},
        {"[limits.group.\"/a\"]\nshare = 3\n", "(did you mean \"cgroup\"?)"},
        {"[limits.cgroup.\"/a\"]\nshares = 3\n", "a group has no limit \"shares\" (did you mean \"share\"?)"},
        {"[server]\npolicy = \"pupp\"\n", "(did you mean \"PUP\"?)"},
    };
    for (const auto& [text, sentence] : all) {
        const Configuration configuration = of_text(text);
        EXPECT_EQ(configuration.problems.size(), 1U) << configuration.complaints();
        EXPECT_NE(configuration.complaints().find(sentence), std::string::npos) << configuration.complaints();
    }
}

TEST(Configuration, AMissingUnitOfMemoryIsTold) {
    EXPECT_EQ(of_text("[limits]\nmemory-limit = 20\n[[rule]]\nname = \"a\"\nmemory_limit = 40\n").complaints(),
              "x.toml:2: memory-limit = 20 means 20 bytes: say 20GiB or 20MiB\n"
              "x.toml:3: memory_limit = 40 means 40 bytes: say 40GiB or 40MiB\n");
    for (const char* right : {"[limits]\nmemory-limit = \"20GiB\"\n", "[[rule]]\nname = \"a\"\nmemory_limit = 0\n"})
        EXPECT_EQ(of_text(right).complaints(), "");
}

TEST(Configuration, ASettingWithoutEffectBesideAnotherIsTold) {
    EXPECT_EQ(of_text("[server]\npolicy = \"UP\"\npolicy_expr = \"priority desc\"\n").complaints(),
              "x.toml:1: policy has no effect beside policy_expr: leave out one of them\n");
    EXPECT_EQ(of_text("[options]\nthreshold = 4\nbatch_size = 9\n").complaints(),
              "x.toml:1: batch_size is larger than threshold: a batch is at most the threshold\n");
    EXPECT_EQ(of_text("[options]\nbatch_size = 9\n").complaints(), "") << "the threshold is chosen automatically";
}

TEST(Configuration, NoTextEndsTheReader) {
    for (const std::string text :
         {"[", "]", "=", "[[rule]]\n[[rule", "\"\"\"", "a = [\n\n\n", "\xff\xfe", "[[rule]]\nrule = 1", "rule = 3",
          "server = 1", "[rule]\nx=1", "limits = []", "[limits]\nuser = 3"}) {
        const Configuration all = of_text(text);
        EXPECT_TRUE(all.rules.empty());
        EXPECT_FALSE(all.problems.empty()) << text;
    }
}

TEST(Configuration, OptionsReachTheEnvironmentThatHasNone) {
    const test::WithEnvironment environment({{"XLOG_LEVEL", "ERRO"}, {"XSCHED_COPY_PIECE", ""}});
    put_into_environment(of_text("[options]\nlog_level = \"WARN\"\ncopy_piece = -1\n"));
    EXPECT_STREQ(getenv("XLOG_LEVEL"), "ERRO");
    EXPECT_STREQ(getenv("XSCHED_COPY_PIECE"), "-1");
}

TEST(Configuration, AVariableThatIsNotUnderstoodIsAProblemAndDoesNotReachTheProgram) {
    const test::WithEnvironment environment({{"XSCHED_COPY_PIECE", "much"},
                                             {"XSCHED_AUTO_XQUEUE_PRIORITY", "high"},
                                             {"XSCHED_AUTO_XQUEUE_THRESHOLD", "4"},
                                             {"XSCHED_AUTO_XQUEUE_GANG", "jobs"}});
    Configuration all = of_text("[options]\ncopy_piece = -1\n");
    add_environment(all);
    EXPECT_EQ(all.complaints(),
              "XSCHED_COPY_PIECE: copy_piece is to be a whole number from -2 to 1073741824 (bytes), not \"much\"\n"
              "XSCHED_AUTO_XQUEUE_PRIORITY: priority is to be a whole number from -256 to 255, not \"high\"\n");
    put_into_environment(all);
    EXPECT_STREQ(getenv("XSCHED_COPY_PIECE"), "-1") << "the file's value";
    EXPECT_EQ(getenv("XSCHED_AUTO_XQUEUE_PRIORITY"), nullptr);
    EXPECT_STREQ(getenv("XSCHED_AUTO_XQUEUE_THRESHOLD"), "4");
    EXPECT_STREQ(getenv("XSCHED_AUTO_XQUEUE_GANG"), "jobs");
}

}  // namespace
}  // namespace xsched::config
