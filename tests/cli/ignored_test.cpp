// xcli run says what has no effect, once.
#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Ignored : public WithCli {};

TEST_F(Ignored, WhatIsAskedForAndNotDoneIsTold) {
    start();
    const auto said = [this](std::vector<std::string> options, const Environment& more = {}) {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", "/bin/true"});
        const Outcome outcome = xcli(options, more);
        EXPECT_EQ(outcome.status, 0);
        return outcome.err;
    };
    EXPECT_TRUE(has(said({"--policy", "PUP"}), "--policy PUP has no effect, since the server has policy HPF already"));
    EXPECT_TRUE(has(said({"--policy", "PUPP"}),
                    "--policy PUPP: there is no policy \"PUPP\" (did you mean \"PUP\"?): use one of AUTO, "));
    EXPECT_TRUE(has(said({}, {{"XSCHED_POLICY", "HPFF"}}),
                    "XSCHED_POLICY=HPFF: there is no policy \"HPFF\" (did you mean \"HPF\"?)"));
    EXPECT_FALSE(has(said({"--policy", "hpf"}), "policy"));
    EXPECT_TRUE(has(said({}, {{"XSCHED_POLICY", "UP"}}), "XSCHED_POLICY=UP has no effect, since the server has "));
    EXPECT_TRUE(
        has(said({}, {{"XSCHED_SCHEDULER", "local"}}), "XSCHED_SCHEDULER=local has no effect under 'xcli run'"));
    EXPECT_TRUE(has(said({}, {{"XSCHED_AUTO_XQUEUE_PRIO", "3"}}),
                    "XSCHED_AUTO_XQUEUE_PRIO is no variable of XSched and has no effect (did you mean "
                    "\"XSCHED_AUTO_XQUEUE_PRIORITY\"?)"));
    EXPECT_TRUE(has(said({}, {{"XSERVER_STARVATION_LIMT_MS", "3"}}), "did you mean \"XSERVER_STARVATION_LIMIT_MS\"?)"))
        << "the program may start a server, which gets the variable";
    EXPECT_TRUE(has(xcli({"config"}, {{"XSERVER_POLCY", "UP"}}).err, "did you mean \"XSERVER_POLICY\"?)"));
    EXPECT_FALSE(has(said({}, {{"XSCHED_SCRUB_RATE", "3"}, {"XSCHED_BUILD", "x"}}), "no variable"));
}

TEST_F(Ignored, ANewServerTakesThePolicyOfTheVariableUnlessOneIsConfigured) {
    for (const auto& [configured, policy] :
         {std::pair("[server]\nidle_exit = 7\n", "UP"), std::pair("[server]\npolicy = \"PUP\"\n", "PUP")}) {
        make_file(directory / "etc/x.toml", configured);
        const std::string said = xcli({"run", "--", "/bin/true"}, {{"XSCHED_POLICY", "up"}}).err;
        EXPECT_EQ(said.empty(), policy == std::string("UP")) << said;
        EXPECT_EQ(xcli({"policy", "-q"}).out, std::string("policy ") + policy + "\n");
        const Json answer = xcli({"server", "--json"}).json();
        EXPECT_EQ(answer["idle_exit_s"], policy == std::string("UP") ? 7 : 60) << "a file's value counts";
        EXPECT_EQ(kill(answer["pid"].get<pid_t>(), SIGTERM), 0);
        EXPECT_TRUE(eventually([&] { return xcli({"server"}).status != 0; }));
    }
}

TEST_F(Ignored, HintsHaveNoEffectWhereTheProgramSchedulesItself) {
    const auto said = [this](const char* scheduler, std::vector<std::string> words, const Environment& more = {}) {
        words.insert(words.begin(), {"run", "--scheduler", scheduler});
        words.insert(words.end(), {"--", "/bin/true"});
        return xcli(words, more).err;
    };
    EXPECT_EQ(
        said("app", {"-p", "5", "--share", "30", "--memory-limit", "1GiB"}),
        "xcli: --priority, --share: no effect with --scheduler app, under which the program's own calls decide\n");
    EXPECT_EQ(said("app", {"--memory-limit", "1GiB", "--no-background", "--level", "1"}), "");
    EXPECT_EQ(said("local", {"-p", "5"}), "");
    const Environment variable{{"XSCHED_AUTO_XQUEUE_PRIORITY", "5"}};
    EXPECT_EQ(said("app", {"--share", "30"}, variable),
              "xcli: XSCHED_AUTO_XQUEUE_PRIORITY, --share: no effect with --scheduler app, under which the program's "
              "own calls decide\n");
    EXPECT_TRUE(has(said("app", {"-p", "3"}, variable), "xcli: --priority: no effect")) << "the option counts";
    EXPECT_EQ(said("local", {}, variable), "");
    EXPECT_TRUE(has(said("local", {"--policy", "UP"}, variable),
                    "xcli: policy UP does not use XSCHED_AUTO_XQUEUE_PRIORITY to decide who runs; "));
    EXPECT_TRUE(has(said("local", {"--share", "30"}), "xcli: policy HPF does not use share to decide who runs; "));
    EXPECT_TRUE(has(said("local", {"-p", "5"}, {{"XSCHED_POLICY", "UP"}}), "xcli: policy UP does not use priority "));
}

TEST_F(Ignored, AHintByAVariableIsToldLikeAnOption) {
    start({"UP"});
    const std::string said = xcli({"run", "--limit", "10", "--", "/bin/true"},
                                  {{"XSCHED_AUTO_XQUEUE_PRIORITY", "5"}, {"XSCHED_AUTO_XQUEUE_SHARE", "30"}})
                                 .err;
    EXPECT_TRUE(has(said, "policy UP does not use XSCHED_AUTO_XQUEUE_PRIORITY to decide who runs; ")) << said;
    EXPECT_TRUE(has(said, "XSCHED_AUTO_XQUEUE_SHARE 30 has no effect beyond limit 10, ")) << said;
}

// A bare number in a variable of a time means microseconds.
TEST_F(Ignored, AVariableOfATimeThatMayBeMeantAsMillisecondsIsTold) {
    const auto said = [this](const char* variable, const char* value) {
        return xcli({"run", "--", "/bin/true"}, {{variable, value}}).err;
    };
    EXPECT_TRUE(has(said("XSCHED_AUTO_XQUEUE_PERIOD", "20"),
                    "XSCHED_AUTO_XQUEUE_PERIOD=20 means 20 us: write 20000 for milliseconds"));
    EXPECT_TRUE(has(said("XSCHED_AUTO_XQUEUE_SLO_P99", "5"), "means 5 us: write 5000 for milliseconds"));
    for (const char* value : {"20000", "0"}) EXPECT_EQ(said("XSCHED_AUTO_XQUEUE_PERIOD", value), "") << value;
    EXPECT_TRUE(has(said("XSCHED_AUTO_XQUEUE_PERIOD", "20ms"),
                    "period_us is to be a whole number of microseconds from 0 to 3600000000, not \"20ms\""));
}

// The program's own libraries would complain of the same value: it does not reach them.
TEST_F(Ignored, AVariableThatIsNotUnderstoodIsToldOnce) {
    start();
    for (const char* variable : {"XSCHED_AUTO_XQUEUE_LEVEL", "XSCHED_AUTO_XQUEUE_PRIORITY", "XLOG_LEVEL"}) {
        const Outcome outcome =
            xcli({"run", "--", "/bin/sh", "-c", std::string("echo \"[$") + variable + "]\""}, {{variable, "loud"}});
        EXPECT_FALSE(has(outcome.out, "loud")) << variable << ": " << outcome.out;
        EXPECT_EQ(outcome.err.find(variable), outcome.err.rfind(variable)) << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("xcli: ")) << outcome.err;
        EXPECT_TRUE(has(outcome.err, variable)) << outcome.err;
    }
}

}  // namespace
}  // namespace xsched::test
