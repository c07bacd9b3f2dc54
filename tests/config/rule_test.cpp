#include "config/rule.h"

#include <gtest/gtest.h>

#include "config/rule_json.h"
#include "config/text.h"

namespace xsched::config {
namespace {

std::optional<int64_t> hint(const Given& given, base::HintId id) { return given.hints[static_cast<size_t>(id)]; }

TEST(Rule, SaysWhichOfItsHintsContradict) {
    const Configuration all = of_text("[[rule]]\nname = \"a\"\nbackground = true\npriority = 3\n");
    EXPECT_EQ(all.rules.size(), 1U) << "it counts";
    EXPECT_EQ(all.complaints(), "x.toml:1: priority 3 has no effect beside background\n");
    EXPECT_FALSE(all.is_wrong()) << "a server takes it";
    std::vector<Problem> problems;
    EXPECT_EQ(rules_of_json(rules_json(all.rules), problems).size(), 1U);
    EXPECT_TRUE(problems.empty()) << "it was told where the file was read";
}

TEST(Rule, TakesNoTargetBelowTheTimeAlone) {
    for (const char* target : {"\"0.5x\"", "-50"}) {
        const Configuration all = of_text("[[rule]]\nname = \"a\"\nslo_p99 = " + std::string(target) + "\n");
        EXPECT_NE(all.complaints().find("a factor from 1x on"), std::string::npos) << all.complaints();
    }
    EXPECT_EQ(of_text("[[rule]]\nname = \"a\"\nslo_p99 = \"0ms\"\n").complaints(), "");
}

TEST(Rule, GivesEachProgramWhatFits) {
    const Configuration all = of_text(
        "[[rule]]\nname = \"ollama\"\npriority = -10\n"
        "[[rule]]\nname = [\"vllm\", \"sglang*\"]\npriority = 20\nslo_p99 = \"1.3x\"\nevictable = false\n"
        "memory_guarantee = \"30GiB\"\n");
    ASSERT_EQ(all.complaints(), "");
    const Given ollama = given_by(all.rules, program_of("/usr/bin/ollama", "ollama", {"ollama", "serve"}));
    EXPECT_EQ(hint(ollama, base::HintId::priority), -10);
    EXPECT_FALSE(hint(ollama, base::HintId::slo_p99));
    const Given vllm =
        given_by(all.rules, program_of("/usr/bin/python3.11", "python3", {"python3", "/opt/bin/vllm", "serve"}));
    EXPECT_EQ(hint(vllm, base::HintId::priority), 20) << "a script's name is the program's";
    EXPECT_EQ(hint(vllm, base::HintId::slo_p99), -130);
    EXPECT_EQ(hint(vllm, base::HintId::evictable), 0);
    EXPECT_EQ(hint(vllm, base::HintId::memory_guarantee), int64_t{30} << 30);
    EXPECT_EQ(vllm.hint_places[static_cast<size_t>(base::HintId::priority)], "x.toml:4");
    EXPECT_FALSE(given_by(all.rules, program_of("/bin/other", "other", {"other", "vllm"})).fits_any);
}

TEST(Rule, AllConditionsMustHold) {
    const Configuration all = of_text(
        "[[rule]]\nname = \"python3\"\narguments = \"*train*\"\nuser = 1000\ncgroup = \"/user.slice\"\npriority = 1\n");
    ASSERT_EQ(all.complaints(), "");
    Program program = program_of("/usr/bin/python3", "python3", {"python3", "train.py"});
    program.uid = 1000;
    program.cgroup = "/user.slice/user-1000.slice";
    EXPECT_TRUE(given_by(all.rules, program).fits_any);
    program.cgroup = "/user.slice.other";
    EXPECT_FALSE(given_by(all.rules, program).fits_any);
    program.cgroup = "/user.slice";
    program.uid = 1001;
    EXPECT_FALSE(given_by(all.rules, program).fits_any);
    program.uid = 1000;
    program.command = "python3 serve.py";
    EXPECT_FALSE(given_by(all.rules, program).fits_any);
}

TEST(Rule, ALaterRuleComesFirstAndTheLowestCeilingCounts) {
    const Configuration all = of_text(
        "[[rule]]\npath = \"/opt/*\"\nhighest_priority = 10\nnever = true\npriority = 1\nshare = 30\n"
        "[[rule]]\nname = \"a\"\nhighest_priority = 20\nnever = false\npriority = 2\n");
    const Given given = given_by(all.rules, program_of("/opt/x/a", "a", {"a"}));
    EXPECT_EQ(given.highest_priority, 10);
    EXPECT_FALSE(given.never);
    EXPECT_EQ(hint(given, base::HintId::priority), 2);
    EXPECT_EQ(hint(given, base::HintId::share), 30);
}

TEST(Rule, AWrongValueCostsTheValueAndAWrongConditionTheRule) {
    const Configuration all = of_text(
        "[[rule]]\nname = \"a\"\npriority = 999\nshare = 3\npriorty = 4\n[[rule]]\nnmae = \"b\"\npriority = 1\n"
        "[[rule]]\nname = 3\n[[rule]]\npriority = 5\n[[rule]]\nname = \"c\"\nuser = \"no-such-user\"\n");
    ASSERT_EQ(all.rules.size(), 1U) << all.complaints();
    EXPECT_EQ(all.rules[0].hints[static_cast<size_t>(base::HintId::share)], 3);
    const nlohmann::json handed = rules_json(all.rules);
    EXPECT_EQ(handed[0]["rule"], (nlohmann::json{{"name", "a"}, {"share", 3}})) << "a server need not refuse any of it";
    const std::string said = all.complaints();
    for (const char* part :
         {"x.toml:3: priority is to be a whole number from -256 to 255, not \"999\"\n",
          "x.toml:5: a rule has no \"priorty\" (did you mean \"priority\"?)\n",
          "x.toml:7: a rule has no \"nmae\" (did you mean \"name\"?); this rule does not count\n",
          "x.toml:10: name is to be a text or a list of texts, such as \"python*\"; this rule does not count\n",
          "x.toml:11: a rule says for which programs it is: write name = \"*\" for all; this rule does not count\n",
          "x.toml:15: there is no user \"no-such-user\""})
        EXPECT_NE(said.find(part), std::string::npos) << part << "\nin\n" << said;
}

// A bare number might be meant as milliseconds: a target needs a unit. The other times have theirs in their names.
TEST(Rule, ATimeSaysItsUnit) {
    const Configuration all = of_text(
        "[[rule]]\nname = \"a\"\nslo_p99 = 5000\n[[rule]]\nname = \"b\"\nslo_p99 = 0\nperiod_us = 5000\n"
        "deadline_us = \"7ms\"\nlaxity_us = \"7 ms\"\n");
    ASSERT_EQ(all.rules.size(), 2U);
    EXPECT_FALSE(all.rules[0].hints[static_cast<size_t>(base::HintId::slo_p99)]);
    EXPECT_EQ(all.rules[1].hints[static_cast<size_t>(base::HintId::slo_p99)], 0);
    EXPECT_EQ(all.rules[1].hints[static_cast<size_t>(base::HintId::period_us)], 5000);
    EXPECT_EQ(all.rules[1].hints[static_cast<size_t>(base::HintId::deadline_us)], 7000);
    EXPECT_EQ(
        all.complaints(),
        "x.toml:3: slo_p99 is to be a time, such as \"5ms\", or a factor from 1x on, such as \"1.3x\", not \"5000\"\n"
        "x.toml:9: laxity_us is to be a time, such as \"20ms\", or a whole number of microseconds from 0 to "
        "3600000000, not \"7 ms\"\n");
}

TEST(Rule, AUsersRuleIsForTheUserAloneAndSetsNoCeiling) {
    const Configuration all = of_text(
        "[[rule]]\nname = \"a\"\nuser = \"root\"\n[[rule]]\nname = \"b\"\nhighest_priority = 3\nshare = 2\n", true);
    ASSERT_EQ(all.users_rules.size(), 1U);
    EXPECT_FALSE(all.users_rules[0].highest_priority);
    EXPECT_EQ(all.problems.size(), 2U) << all.complaints();
}

}  // namespace
}  // namespace xsched::config
