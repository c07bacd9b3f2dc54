// A limit on the priority is told where a priority is asked for, and where it is shown.
#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Ceilings : public WithTrainer {
protected:
    void SetUp() override {
        WithTrainer::SetUp();
        ASSERT_EQ(xcli({"limit", std::to_string(geteuid()) + ":highest-priority=3"}).status, 0);
    }
};

constexpr const char* kTold = "xcli: a limit leaves priority 3 of that: 'xcli status --limits' shows it\n";

TEST_F(Ceilings, AHintAboveItSaysWhatCounts) {
    EXPECT_EQ(xcli({"hint", "trainer", "-p", "50"}).err, kTold);
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "-p", "4"}).err, kTold);
    EXPECT_EQ(xcli({"hint", "trainer", "-p", "3"}).err, "");
    EXPECT_EQ(xcli({"run", "-p", "50", "--", "/bin/true"}).err, kTold);
    EXPECT_EQ(xcli({"run", "-p", "3", "--", "/bin/true"}).err, "");
}

TEST_F(Ceilings, ListsShowWhatCounts) {
    ASSERT_EQ(xcli({"hint", "trainer", "-p", "50"}).status, 0);
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"list"}, {"list", "--wide"}, {"top"}}) {
        const std::string shown = xcli(words).out;
        EXPECT_TRUE(has(shown, " 3 ")) << shown;
        EXPECT_FALSE(has(shown, " 50 ")) << shown;
    }
    const std::string status = xcli({"status"}).out;
    EXPECT_TRUE(has(status, "priority 50, of which a limit leaves 3, on ")) << status;
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["priority"], 50) << "what it asks for";
}

class Resuming : public WithTrainer {};

TEST_F(Resuming, SaysThatAProgramWasNotSuspended) {
    const std::string pid = "pid " + std::to_string(getpid());
    EXPECT_EQ(xcli({"resume", "trainer"}).out, pid + " was not suspended\n");
    ASSERT_EQ(xcli({"suspend", "trainer"}).status, 0);
    EXPECT_EQ(xcli({"resume", "trainer"}).out, "resumed " + pid + "\n");
    EXPECT_EQ(xcli({"resume", "trainer"}).out, pid + " was not suspended\n");
}

TEST_F(Resuming, OneQueueOfASuspendedProgramIsRefused) {
    ASSERT_EQ(xcli({"suspend", "trainer"}).status, 0);
    const Outcome outcome = xcli({"resume", "-x", std::to_string(getpid()) + ".1"});
    EXPECT_EQ(outcome.status, 5) << outcome.out;
    EXPECT_TRUE(has(outcome.err, "its whole program is suspended: 'xcli resume")) << outcome.err;
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["suspended"], true);
    EXPECT_EQ(xcli({"resume", "trainer"}).status, 0);
}

class Recording : public WithTrainer {};

TEST_F(Recording, OfNoChangeSaysWhy) {
    EXPECT_TRUE(has(xcli({"record", "-o", directory / "still.rec", "-t", "20ms"}).err, "xcli policy OBSERVE"));
}

}  // namespace
}  // namespace xsched::test
