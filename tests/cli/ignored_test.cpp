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
    EXPECT_TRUE(
        has(said({"--policy", "PUP"}), "--policy PUP has no effect, since the server runs already: policy HPF stays"));
    EXPECT_TRUE(has(said({"--policy", "PUPP"}), "there is no policy PUPP (did you mean \"PUP\"?): policy HPF stays"));
    EXPECT_FALSE(has(said({"--policy", "hpf"}), "policy"));
    EXPECT_TRUE(
        has(said({}, {{"XSCHED_POLICY", "UP"}}), "XSCHED_POLICY=UP has no effect, since the server runs already"));
    EXPECT_TRUE(
        has(said({}, {{"XSCHED_SCHEDULER", "local"}}), "XSCHED_SCHEDULER=local has no effect under 'xcli run'"));
    EXPECT_TRUE(has(said({}, {{"XSCHED_AUTO_XQUEUE_PRIO", "3"}}),
                    "XSCHED_AUTO_XQUEUE_PRIO is no variable of XSched and has no effect (did you mean "
                    "\"XSCHED_AUTO_XQUEUE_PRIORITY\"?)"));
    EXPECT_FALSE(has(said({}, {{"XSCHED_SCRUB_RATE", "3"}, {"XSCHED_BUILD", "x"}}), "no variable"));
}

// The program's own libraries would complain of the same value: it does not reach them.
TEST_F(Ignored, AVariableThatIsNotUnderstoodIsToldOnce) {
    start();
    for (const char* variable : {"XSCHED_AUTO_XQUEUE_LEVEL", "XSCHED_AUTO_XQUEUE_PRIORITY", "XLOG_LEVEL"}) {
        const Outcome outcome =
            xcli({"run", "--", "/bin/sh", "-c", std::string("echo \"[$") + variable + "]\""}, {{variable, "loud"}});
        EXPECT_FALSE(has(outcome.out, "loud")) << variable << ": " << outcome.out;
        EXPECT_EQ(outcome.err.find(variable), outcome.err.rfind(variable)) << outcome.err;
        EXPECT_TRUE(has(outcome.err, variable)) << outcome.err;
    }
}

}  // namespace
}  // namespace xsched::test
