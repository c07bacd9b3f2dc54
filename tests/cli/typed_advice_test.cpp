// The advice of xcli explain, typed as it stands: each changes the thing that it says it changes.
#include "cli/advised.h"
#include "cli/staged_rig.h"

namespace xsched::test {
namespace {

class TypedAdvice : public StagedCause {
protected:
    // Runs a command and demands that it is obeyed without a word on standard error.
    void run(std::vector<std::string> words) {
        if (words[0] == "xcli")
            words[0] = binary("xcli");
        else
            words.insert(words.begin(), "/usr/bin/env");
        const Outcome outcome = run_to_end(words, directory.environment());
        EXPECT_EQ(outcome.status, 0) << testing::PrintToString(words) << outcome.err;
        EXPECT_EQ(outcome.err, "") << testing::PrintToString(words);
    }
    // Types the command of the last advice that begins so. `value`: for a word in capitals.
    void type(const std::string& begin, const std::string& value = "") {
        for (std::vector<std::string> words : commands_of(advice)) {
            std::string text;
            for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
            if (!text.starts_with(begin)) continue;
            fill_in(words, value);
            return run(words);
        }
        ADD_FAILURE() << "no \"" << begin << "\" in: " << advice;
    }
    std::string mine() const { return std::to_string(getpid()); }
    std::string its() const { return std::to_string(child); }
    // Returns a fact about a program, by its member in the answers.
    Json fact(const std::string& program, const char* name) {
        return xcli({"explain", program, "--json"}).json()["programs"][0]["facts"][name];
    }
    bool gets_more_than(double percent) {
        return eventually([&] {
            const Json got = fact("slow", "devices")[0]["got_percent"][0];
            return got.is_number() && got.get<double>() > percent;
        });
    }
    std::string policy_in_force() { return xcli({"policy", "-q", "--json"}).json().value("policy", ""); }
    void expect_it_runs() { EXPECT_TRUE(slow.becomes_suspended(0, false)); }
    void type_back_to_hpf() {
        type("xcli policy -s");
        EXPECT_EQ(policy_in_force(), "HPF");
        expect_it_runs();
    }
};

TEST_F(TypedAdvice, ToBeMoreUrgent) {
    two_processes(10, 0, 20);
    const Work work(slow);
    expect_cause("more_urgent");
    type("xcli hint " + mine() + " -p");
    EXPECT_EQ(slow.slot(0).priority.load(), 11);
    expect_it_runs();
    expect_cause("more_urgent", "(slow, priority", "rival");
}

TEST_F(TypedAdvice, ToMakeTheOtherLessUrgent) {
    two_processes(10, 0, 20);
    const Work work(slow);
    expect_cause("more_urgent");
    type("xcli hint " + its() + " -p");
    EXPECT_EQ(fact("rival", "priority"), -1);
    expect_it_runs();
    expect_cause("more_urgent", "(slow, priority", "rival");
}

TEST_F(TypedAdvice, ToGiveAStarvedProgramAShare) {
    two_processes(10);
    const Work work(slow);
    expect_cause("starved");
    type("xcli policy -s PUP");
    EXPECT_EQ(policy_in_force(), "PUP");
    type("xcli hint " + mine() + " --share");
    EXPECT_EQ(slow.slot(0).share.load(), 10);
    EXPECT_TRUE(gets_more_than(5));
}

TEST_F(TypedAdvice, ToAskForALargerShare) {
    two_under("PUP", {{"0xab1", {"--share", "20"}}, {"0xab2", {"--share", "80"}}});
    const Work work(slow);
    expect_cause("share_used_up", "share of 20 percent");
    type("xcli hint " + mine() + " --share", "60");
    EXPECT_EQ(slow.slot(0).share.load(), 60);
    EXPECT_TRUE(gets_more_than(30));
}

TEST_F(TypedAdvice, ToHaveALargerPartOfTheTurns) {
    two_under("UP", {{"0xab1", {"-u", "20"}}});
    const Work work(slow);
    expect_cause("turns", "policy UP");
    type("xcli hint " + mine() + " -u", "70");
    EXPECT_EQ(slow.slot(0).utilization.load(), 70);
}

TEST_F(TypedAdvice, ToRaiseItsLimit) {
    two_under("PUP", {{"0xab1", {"--limit", "10"}}});
    const Work work(slow);
    expect_cause("limit", "its limit is 10 percent");
    type("xcli hint " + mine() + " --limit");
    EXPECT_EQ(slow.slot(0).limit.load(), 100);
}

TEST_F(TypedAdvice, ToRaiseTheLimitOfItsUser) {
    const std::string user = std::to_string(geteuid());
    one();
    policy("PUP");
    ASSERT_EQ(xcli({"limit", user + ":device-limit=10"}).status, 0);
    const Work work(slow);
    expect_cause("limit", "the user's limit");
    type("xcli status --limits");
    type("xcli limit", "100");
    EXPECT_TRUE(gets_more_than(50));
}

TEST_F(TypedAdvice, ToRaiseTheLimitOfItsControlGroup) {
    one();
    const std::string group = xcli({"list", "--json"}).json()["queues"][0].value("cgroup", "");
    if (group.empty()) GTEST_SKIP() << "there is no control group of version 2 here";
    policy("PUP");
    if (xcli({"limit", group + ":device-limit=10"}).status != 0)
        GTEST_SKIP() << "this user may not say what control group " << group << " gets";
    const Work work(slow);
    expect_cause("limit", "the limit of its control group " + group + " is 10 percent");
    type("xcli limit " + group, "90");
    EXPECT_EQ(fact("slow", "group_gets")["limit"], 90);
}

TEST_F(TypedAdvice, ToRaiseTheLimitOfQueues) {
    const std::string user = std::to_string(geteuid());
    ASSERT_EQ(xcli({"limit", user + ":queues=1"}).status, 0);
    two(0);
    const Work work(other, 0, 100, 20);
    expect_cause("unscheduled", "", "rival");
    type("xcli limit", "100");
    EXPECT_TRUE(eventually([&] { return fact("rival", "unscheduled") == 0; })) << fact("rival", "unscheduled");
}

TEST_F(TypedAdvice, ToResumeIt) {
    two(0);
    slow.submit(0);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    expect_cause("suspended");
    type("xcli resume");
    expect_it_runs();
}

TEST_F(TypedAdvice, ToLetItRunAgain) {
    two(0);
    slow.submit(0);
    hint("0xab1", {"-p", "-256"});
    expect_cause("no_execute");
    type("xcli hint");
    EXPECT_EQ(slow.slot(0).priority.load(), 0);
    expect_it_runs();
}

TEST_F(TypedAdvice, ToChooseAPolicyWithoutTurns) {
    two_under("CFS");
    const Work work(slow);
    expect_cause("turns", "policy CFS");
    type("xcli hint " + mine() + " -p");
    EXPECT_EQ(slow.slot(0).priority.load(), 1);
    type_back_to_hpf();
}

TEST_F(TypedAdvice, ToLeaveTheActiveWindowAside) {
    two_under("AWF", {{"0xab2", {"--window", "1"}}});
    const Work work(slow);
    expect_cause("window", "active window");
    type_back_to_hpf();
}

TEST_F(TypedAdvice, ToHaveALaterDeadline) {
    two_under("KEDF", {{"0xab1", {"-d", "1"}}, {"0xab2", {"-d", "3600000000"}}});
    const Work work(slow);
    expect_cause("late");
    type("xcli hint " + mine() + " -d", "1800000000");
    EXPECT_EQ(slow.slot(0).deadline_us.load(), 1800000000);
}

TEST_F(TypedAdvice, ToTakeAnAnnouncementBack) {
    two(10);
    slow.slot(0).command_ns = 3 * base::kSecond;  // so long before the burst it has to begin
    const Work work(slow);
    other.slot(0).period_us = 4'000'000;
    other.submit(0);
    other.complete(0);
    expect_cause("announced");
    type("xcli hint " + mine() + " --expect-in 0");
    EXPECT_EQ(other.slot(0).period_us.load(), 0);
    expect_it_runs();
}

TEST_F(TypedAdvice, ToDecideDeviceByDevice) {
    two(10, kSecondDevice);
    policy("HHPF");
    const Work mine(slow), its(other);
    expect_cause("elsewhere");
    type_back_to_hpf();
}

TEST_F(TypedAdvice, ToGiveItsQueuesOnePriority) {
    one();
    slow.add_queue(1, 10, 0xab2);
    slow.submit(0);
    const Work work(slow, 1, 100, 20);
    expect_cause("own_queue");
    type("xcli hint " + mine());
    EXPECT_EQ(slow.slot(0).priority.load(), slow.slot(1).priority.load());
    expect_it_runs();
}

// The program itself could run, but the other member of its gang, on another device, may not.
TEST_F(TypedAdvice, ToLeaveTheGang) {
    two_processes(10);
    slow.submit(0);
    TestClient mate;
    ASSERT_TRUE(mate.connect(socket(), "mate"));
    mate.add_queue(0, 0, 0xab3, kSecondDevice);
    hint("0xab1", {"--gang", "train"});
    hint("0xab3", {"--gang", "train"});
    const Work mates(mate);
    expect_cause("gang", "", "mate");
    type("xcli status");
    type("xcli hint " + mine() + " --gang");
    EXPECT_TRUE(mate.becomes_suspended(0, false));
}

TEST_F(TypedAdvice, ToComeBeforeAnEqual) {
    two_processes();
    const Work work(slow);
    expect_cause("shares");
    type("xcli hint " + mine() + " -p");
    EXPECT_EQ(slow.slot(0).priority.load(), 1);
    expect_cause("starved", "", "rival");
}

TEST_F(TypedAdvice, ToAllowLevel3) {
    two_processes(-1);
    const Work work(slow, 0, 10);
    TestClient third;
    ASSERT_TRUE(third.connect(socket(), "third"));
    third.add_queue(0, -1, 0xab3);
    third.slot(0).levels = 1U << 1 | 1U << 2 | 1U << 3;
    third.slot(0).command_ns = 12 * base::kMillisecond;
    third.submit(0);
    expect_cause("long_kernels", "12.0 ms");
    type("xcli config", "0xab3");  // a program made by hand obeys nothing; tests/system has real ones
}

TEST_F(TypedAdvice, ToContinueAStoppedProcess) {
    ASSERT_TRUE(other.connect(socket(), "rival"));
    other.add_queue(0, 0, 0xab2);
    child = fork();
    if (child == 0) {
        TestClient client(socket(), "stopped");
        if (!client.connected()) _exit(1);
        client.add_queue(0, 10, 0xab1);
        client.submit(0);
        raise(SIGSTOP);
        for (;;) pause();
    }
    const Work work(other);
    expect_cause("stopped", "", "stopped");
    const std::string status = xcli({"status"}, {{"COLUMNS", "400"}}).out;
    EXPECT_TRUE(has(status, " is stopped: a signal stopped its process, or its control group is frozen")) << status;
    type("kill -CONT " + its());
    EXPECT_TRUE(eventually([&] { return fact("stopped", "stopped") == false; }));
}

TEST_F(TypedAdvice, ToGetMemoryBackByPriority) {
    two(0);
    slow.header().memory[0].device = TestClient::kFirstDevice;
    slow.header().memory[0].on_host = uint64_t{3} << 30;
    expect_cause("waits_for_memory", "3 GiB are on the host");
    type("xcli hint " + mine() + " -p", "7");
    EXPECT_EQ(slow.slot(0).priority.load(), 7);
}

}  // namespace
}  // namespace xsched::test
