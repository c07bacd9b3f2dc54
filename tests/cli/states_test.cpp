// A queue and its program are in one state, in one word, whichever command is asked.
#include "base/states.h"

#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "cli/cli_rig.h"
#include "support/child.h"

namespace xsched::test {
namespace {

class States : public WithCli {
protected:
    void SetUp() override {
        start();
        ASSERT_TRUE(slow.connect(socket(), "slow"));
        slow.add_queue(0, 0, 0xab1);
    }
    // Returns the states that the commands have for the program, joined.
    std::string told() {
        std::set<std::string> words{xcli({"list", "--json"}).json()["queues"][0].value("state", "")};
        words.insert(xcli({"status", "--json"}).json()["processes"][0].value("state", ""));
        words.insert(xcli({"top", "--json"}).json()["programs"][0].value("state", ""));
        words.insert(xcli({"explain", "slow", "--json"}).json()["programs"][0]["facts"].value("state", ""));
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
        return text;
    }
    void expect_state(base::State state) {
        const std::string word = base::word_of(state);
        EXPECT_TRUE(eventually([&] { return told() == word; })) << told() << " and not " << word;
        EXPECT_TRUE(has(xcli({"metrics"}).out, "state=\"" + word + "\"} 1")) << word;
    }
    TestClient slow;
};

TEST_F(States, WithoutAndWithWork) {
    expect_state(base::State::kIdle);
    slow.submit(0);
    expect_state(base::State::kRuns);
}

TEST_F(States, SuspendedByAPersonWithAndWithoutWork) {
    ASSERT_EQ(xcli({"suspend", "slow"}).status, 0);
    expect_state(base::State::kSuspended);
    slow.submit(0);
    expect_state(base::State::kSuspended);
    ASSERT_EQ(xcli({"resume", "slow"}).status, 0);
    expect_state(base::State::kRuns);
}

TEST_F(States, SuspendedByTheProgramItself) {
    slow.submit(0);
    slow.slot(0).api_suspended = 1;
    expect_state(base::State::kSuspended);
    const Outcome shown = xcli({"status"});
    EXPECT_TRUE(has(shown.out, "suspended by the program itself (XQueueSuspend)")) << shown.out;
}

TEST_F(States, StoppedWithoutWork) {
    slow.hang_up();
    TestClient client;
    const Sitter sitter([&] {
        if (!client.connect(socket(), "slow")) return false;
        client.add_queue(0, 0, 0xab2);
        return true;
    });
    ASSERT_TRUE(sitter.ready());
    ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
    expect_state(base::State::kIdle);
    kill(sitter.pid(), SIGSTOP);
    expect_state(base::State::kStopped);
    kill(sitter.pid(), SIGCONT);
    expect_state(base::State::kIdle);
}

// A queue beyond the user's limit works beside all others, so that neither "runs" nor a reason of the scheduler is
// true.
TEST_F(States, NotScheduledBeyondALimit) {
    ASSERT_EQ(xcli({"limit", std::to_string(geteuid()) + ":queues=1"}).status, 0);
    slow.add_queue(1, 0, 0xab2);
    slow.submit(1);
    const std::string told = "not scheduled: a limit on queues leaves it out";
    EXPECT_TRUE(eventually([&] { return has(xcli({"status"}).out, " is " + told); })) << xcli({"status"}).out;
    const Json queues = xcli({"list", "--json"}).json()["queues"];
    EXPECT_TRUE(has(queues[1].value("reason", ""), told)) << queues;
    EXPECT_FALSE(has(queues[0].value("reason", ""), told)) << queues;
    const Outcome explained = xcli({"explain", "slow"});
    EXPECT_TRUE(has(explained.out, "1 of its queues is beyond its user's limit: it runs, but")) << explained.out;
}

TEST_F(States, ABackgroundProgramHasNoPriorityInSentences) {
    slow.slot(0).background = 1;
    EXPECT_TRUE(eventually([&] { return has(xcli({"status"}).out, "in the background on "); }));
    EXPECT_FALSE(has(xcli({"status"}).out, "priority 0 on"));
}

TEST_F(States, HeldForAMoreUrgentQueueWhichMakesTheProgramMixed) {
    slow.submit(0);
    slow.add_queue(1, 10, 0xab2);
    slow.submit(1);
    // The urgent queue completes nothing, so that the other one has a turn now and then.
    const auto becomes = [&](const char* command, const char* list, const std::string& state) {
        return eventually([&] { return xcli({command, "--json"}).json()[list][0].value("state", "") == state; });
    };
    EXPECT_TRUE(becomes("list", "queues", "held"));
    EXPECT_TRUE(becomes("status", "processes", "mixed"));
    EXPECT_TRUE(becomes("top", "programs", "mixed"));
}

// A program that has made no queue yet. Orders to it count from its first queue on, and are shown before.
class WithoutQueues : public WithCli {
protected:
    void SetUp() override {
        start();
        ASSERT_TRUE(bare.connect(socket(), "bare"));
    }
    std::string state() { return xcli({"status", "--json"}).json()["processes"][0].value("state", ""); }
    TestClient bare;
    const std::string pid = "pid " + std::to_string(getpid());
};

TEST_F(WithoutQueues, SuspendedAndResumed) {
    EXPECT_EQ(xcli({"suspend", "bare"}).out, "kept for the queues that " + pid + " makes later\n");
    EXPECT_EQ(state(), "suspended");
    EXPECT_EQ(xcli({"top", "--json"}).json()["programs"][0].value("state", ""), "suspended");
    EXPECT_EQ(xcli({"resume", "bare"}).out, "resumed " + pid + "\n");
    EXPECT_EQ(state(), "idle");
    EXPECT_EQ(xcli({"resume", "bare"}).out, pid + " was not suspended\n");
}

TEST_F(WithoutQueues, HintsAreShown) {
    ASSERT_EQ(xcli({"hint", "bare", "-p", "9", "--slo-p99", "7ms"}).status, 0);
    const Json facts = xcli({"explain", "bare", "--json"}).json()["programs"][0]["facts"];
    EXPECT_EQ(facts["priority"], 9);
    EXPECT_EQ(facts["slo_p99"], 7000);
    EXPECT_TRUE(has(xcli({"status"}).out, "without effect: p99 target 7.0 ms (policy HPF does not read it)"));
}

// Orders for programs that have used no device so far are kept, shown, and taken back by name and by number.
class BeforeFirstLaunch : public WithCli {
protected:
    void SetUp() override { start(); }
    // Returns what the tools say of a sleeping program whose suspension is kept.
    static std::string kept(const std::string& number) {
        return "pid " + number +
               " (sleep) has used no device under XSched so far; it will be suspended from its first launch on: 'xcli "
               "resume " +
               number + "' takes that back";
    }
    std::string status() { return xcli({"status"}).out; }
};

TEST_F(BeforeFirstLaunch, AProgramIsSuspendedAndResumedByName) {
    Process process({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    const std::string number = std::to_string(process.pid());
    const std::string pid = "pid " + number;
    const std::string unsuspended = "(sleep), which 'xcli run' started";
    ASSERT_TRUE(eventually([&] { return has(status(), unsuspended); })) << status();
    EXPECT_EQ(xcli({"suspend", "sleep"}).out, "kept for the queues that " + pid + " makes later\n");
    EXPECT_TRUE(has(status(), kept(number) + "\n")) << status();
    EXPECT_TRUE(has(xcli({"explain", "sleep"}).err, kept(number))) << xcli({"explain", "sleep"}).err;
    EXPECT_EQ(xcli({"resume", "sleep"}).out, "resumed " + pid + "\n");
    EXPECT_TRUE(has(status(), unsuspended)) << status();
    EXPECT_EQ(xcli({"resume", number}).out, pid + " was not suspended\n");
    EXPECT_EQ(xcli({"hint", "sleep", "-p", "3"}).out, "kept for the queues that " + pid + " makes later\n");
}

TEST_F(BeforeFirstLaunch, AllAreThoseThatWereSuspended) {
    Process process({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    ASSERT_TRUE(eventually([&] { return has(status(), "(sleep), which 'xcli run' started"); })) << status();
    expect_sentence({"suspend", "--all"}, "no program is scheduled", 4);
    ASSERT_EQ(xcli({"suspend", "sleep"}).status, 0);
    EXPECT_EQ(xcli({"resume", "--all"}).out, "resumed pid " + std::to_string(process.pid()) + "\n");
}

TEST_F(BeforeFirstLaunch, AProcessThatXcliRunDidNotStartIsShownOnceItIsSuspended) {
    const Process process({"/bin/sleep", "60"}, directory.environment());
    const std::string number = std::to_string(process.pid());
    xcli({"suspend", number});
    EXPECT_TRUE(has(status(), kept(number))) << status();
    EXPECT_EQ(xcli({"resume", "sleep"}).out, "resumed pid " + number + "\n");
    EXPECT_FALSE(has(status(), number)) << status();
}

TEST_F(BeforeFirstLaunch, AConnectedProgramIsExplained) {
    TestClient bare;
    ASSERT_TRUE(bare.connect(socket(), "bare"));
    EXPECT_TRUE(has(xcli({"explain", "bare"}).out, "it has no queue, so nothing"));
    ASSERT_EQ(xcli({"suspend", "bare"}).status, 0);
    const Outcome explained = xcli({"explain", "bare"});
    EXPECT_TRUE(has(explained.out, "it has no queue, and will be suspended from its first launch on")) << explained.out;
    EXPECT_TRUE(has(explained.out, "what to do: xcli resume " + std::to_string(getpid()))) << explained.out;
}

TEST(StatesTable, IsOnThePage) {
    std::ifstream file(XSCHED_SOURCES "/docs/seeing.md");
    std::stringstream text;
    text << file.rdbuf();
    for (const base::StateInfo& state : base::kStates)
        EXPECT_TRUE(has(text.str(), std::string("| ") + state.word + " | " + state.help + " |\n")) << state.word;
}

// Each state of a program must have a colour in page.css, as a CSS class with the state's word.
TEST(StatesTable, HasColoursOnThePageOfXcliWeb) {
    std::ifstream file(XSCHED_SOURCES "/web/page.css");
    std::stringstream text;
    text << file.rdbuf();
    for (const base::StateInfo& state : base::kStates) {
        if (state.tone != base::Tone::kHeld && state.tone != base::Tone::kStopped) continue;
        EXPECT_TRUE(has(text.str(), std::string(".chip.") + state.word)) << state.word;
    }
}

}  // namespace
}  // namespace xsched::test
