// xcli explain: a cause that is over is told as past, and no advice is given that would change nothing now.
#include "cli/explain/explain_rig.h"
#include "policy/policy.h"

namespace xsched::test {
namespace {

class PastCause : public Explain {
protected:
    // Demands that the headline says so, and that there is no advice.
    void expect_past(const std::string& headline) {
        const Explained told = explained();
        EXPECT_TRUE(has(told.headline, headline)) << told.headline;
        EXPECT_EQ(told.advice, "");
    }
};

TEST_F(PastCause, ItIsMoreUrgentNow) {
    hold(cause("less_urgent", &other, 41, 37));
    slow["priority"] = 11;
    expect_past("that one is less urgent now");
    hold(cause("less_urgent", &other, 990, 1), 1000);
    expect_past("that one is less urgent now");
}

TEST_F(PastCause, TheOtherHasEnded) {
    Json by = cause("less_urgent", &other, 41, 37);
    by["ended"] = true;
    hold(by);
    other["pid"] = 4194999;
    other["priority"] = -1;
    expect_past("behind pid 1002 (server, priority 10, which has ended)");
}

TEST_F(PastCause, ItsLimitIsLifted) {
    hold(cause("limited", nullptr, 800, 8));
    expect_past("it had used what a limit or strict share allowed, and has no limit now");
    slow["limit"] = 100;
    expect_past("has no limit now");
    slow["user_gets"] = {{"share", 0}, {"limit", 40}};
    expect(WhySlow::kLimit, false, "the user's limit", "xcli limit");
}

TEST_F(PastCause, ItWasResumed) {
    hold(cause("held", nullptr, 300, 1), 300);
    expect_past("a person had suspended it (xcli suspend), and it was resumed");
    slow["state"] = "held";
    expect_past("it was resumed");
}

TEST_F(PastCause, ItsPriorityAllowsItAgain) {
    hold(cause("no_execute", nullptr, 300, 1));
    expect_past("its priority was -256, which means never, and is 0 now");
    slow["priority"] = -256;
    expect(WhySlow::kNoExecute, false, "priority -256", "-p 0");
}

TEST_F(PastCause, AnotherPolicyIsInForce) {
    for (const auto& info : policy::policies()) {
        policy = info.name;
        for (const char* reason : {"less_urgent", "late", "elsewhere", "not_its_turn", "equals_turn"}) {
            SCOPED_TRACE(policy + " " + reason);
            Json by = cause(reason, &other, 300, 1);
            by["earlier_policy"] = true;
            hold(by);
            expect_past("longest 2.1 ms; the policy then in force decided that, and policy " + policy +
                        " is in force now");
            by["itself"] = true;
            hold(by);
            expect_past("the policy then in force decided that");
        }
    }
}

TEST_F(PastCause, ASuspensionOutlastsAPolicy) {
    Json by = cause("held", nullptr, 300, 1);
    by["earlier_policy"] = true;
    hold(by, 300);
    slow["state"] = "suspended";
    expect(WhySlow::kSuspended, false, "a person suspended it", "xcli resume 1001");
}

TEST_F(PastCause, SaysUntilWhen) {
    Json by = cause("less_urgent", &other, 41, 37);
    by["ago_ms"] = 5200.0;
    hold(by, 1000);
    EXPECT_TRUE(has(explained().headline, "in the last second, until 5.2 s ago: ")) << explained().headline;
    EXPECT_TRUE(has(explained().headline, "longest 41.0 ms")) << "no hold is longer than all: " << explained().headline;
    by["ago_ms"] = 200.0;
    hold(by);
    EXPECT_FALSE(has(explained().headline, "until")) << explained().headline;
}

TEST_F(PastCause, InTheBackgroundAProgramIsLessUrgentThanAll) {
    hold(cause("less_urgent", &other, 41, 37));
    slow["priority"] = 20;
    expect_past("that one is less urgent now");
    slow["hints_in_force"] = {{"background", 1}};
    expect(WhySlow::kMoreUrgent, false, "behind pid 1002", "--no-background");
}

TEST_F(PastCause, ACeilingMakesAPriorityVoid) {
    hold(cause("less_urgent", &other, 41, 37));
    slow["uid"] = 0;
    slow["group_gets"] = {{"highest_priority", 10}, {"highest_priority_of", "user"}};
    const char* const sentence = "root or the server's own user can raise that (xcli limit root:highest-priority=11)";
    expect(WhySlow::kMoreUrgent, false, "", sentence);
    EXPECT_FALSE(has(explained().advice, "xcli hint 1001")) << explained().advice;
    slow["group_gets"]["highest_priority_of"] = "group";
    slow["cgroup"] = "/jobs/a";
    expect(WhySlow::kMoreUrgent, false, "", "(xcli limit /jobs/a:highest-priority=11)");
    slow["group_gets"]["highest_priority"] = 11;
    expect(WhySlow::kMoreUrgent, false, "", "xcli hint 1001 -p 11");
    other["group_gets"]["highest_priority"] = 3;
    expect(WhySlow::kMoreUrgent, false, "", "xcli hint 1001 -p 4");
}

TEST_F(PastCause, NoHintIsAdvisedThatLeavesAnotherMoreUrgent) {
    hold(cause("less_urgent", &other, 41, 37));
    third = program(3, "third", 20);
    expect(WhySlow::kMoreUrgent, false, "", "xcli hint 1001 -p 21");
    EXPECT_FALSE(has(explained().advice, "lower the other's")) << explained().advice;
}

TEST_F(Explain, ItsEqualsShareTheDevice) {
    got(97);
    other["priority"] = 0;
    other["command_ms"] = 40.0;
    third = program(3, "third", 0);
    expect(WhySlow::kShares, true, "it runs beside pid 1002 (server, priority 0) and 1 more of its priority",
           "xcli hint 1001 -p 1");
    EXPECT_TRUE(has(explained().advice, "xcli policy -s PUP; xcli hint 1001 --share PERCENT")) << explained().advice;
    for (Json* equal : {&other, &third}) {
        (*equal)["state"] = "idle";
        (*equal)["devices"][0]["got_percent"] = {0.0, 0.0, 0.0};
    }
    expect(WhySlow::kItsOwnWork, true, "97 percent", "profiler");
}

TEST_F(PastCause, SaysThatEqualsShareTheDeviceNow) {
    hold(cause("held", nullptr, 300, 1), 300);
    other["priority"] = 0;
    expect(WhySlow::kSuspended, false, "and it was resumed; now it runs beside 1 other of its priority",
           "to come first, raise its priority (xcli hint 1001 -p 1)");
}

TEST_F(Explain, AnEndedProgramIsNotAnotherUsers) {
    other["devices"][0]["device"] = "GPU:2";
    got(0);
    Json victim{{"program", "a program that has ended"}, {"ended", true}, {"ms", 949.0}, {"holds", 7}};
    slow["cost"][2]["victims"].push_back(victim);
    expect(WhySlow::kAlone, true, "alone on its device", "profiler");
    victim["pid"] = 77;
    victim["program"] = "batch";
    slow["cost"][2]["victims"][0] = victim;
    EXPECT_EQ(explained().details.back(), "costs others: pid 77 (batch, which has ended) 949 ms in the last 60 s");
}

// Beyond the limit, a larger share has no effect.
TEST_F(Explain, AShareAtItsLimitNamesTheLimit) {
    slow["share"] = slow["limit"] = 20;
    for (const char* strict_or_not : {"PUP", "SPUP"})
        for (const char* reason : {"not_its_turn", "limited"}) {
            SCOPED_TRACE(std::string(strict_or_not) + " " + reason);
            policy = strict_or_not;
            hold(cause(reason, &other, 600, 50));
            expect(WhySlow::kLimit, false, "its limit is 20 percent", "raise the limit (xcli hint 1001 --limit 100)");
            EXPECT_TRUE(has(explained().advice, ", and ask for a larger share")) << explained().advice;
        }
    slow["user_gets"] = {{"share", 0}, {"limit", 60}};
    expect(WhySlow::kLimit, false, "its limit is 20 percent, and 60 for all programs of its user together", "--limit");
    slow.erase("user_gets");
    slow["limit"] = 50;
    expect(WhySlow::kShareUsedUp, false, "its share of 20 percent", "larger share");
    slow["user_gets"] = {{"share", 30}, {"limit", 30}};
    slow["uid"] = 0;
    expect(WhySlow::kLimit, false, "the user's limit allows",
           "and root or the server's own user can give the user a larger share (xcli limit root:share=");
}

// The lengths of all bursts are also of those before there was a target, which is kept now.
TEST_F(Explain, NoLongerTargetIsAdvisedWhereTheTargetIsKept) {
    policy = "AUTO";
    hold(cause("not_its_turn", &other, 600, 50));
    slow["slo_p99"] = 10000;
    slow["bursts"]["p99_ms"] = 161.2;
    slow["devices"][0]["policy_says"] = "AUTO: 99 of 100 bursts take up to 17.0 ms, more than the target of 10.0 ms";
    ASSERT_TRUE(has(explained().advice, "such as 170ms")) << explained().advice;
    slow["devices"][0]["policy_says"] = "AUTO: 99 of 100 bursts take up to 9.0 ms, its target is 10.0 ms";
    EXPECT_TRUE(has(explained().advice, "give it a lower target")) << explained().advice;
}

// A user who may not set the policy is told who may.
TEST_F(Explain, AdviceAboutThePolicyNamesWhoMaySetIt) {
    hold(cause("more_urgent", &other, 5000, 3), 900);
    const std::string who = "an administrator sets the policy (root, the server's own user, the group xsched)";
    const std::string advice = explained().advice;
    ASSERT_TRUE(has(advice, "xcli policy -s PUP")) << advice;
    EXPECT_FALSE(has(advice, who)) << advice;
    may_set_policy = false;
    EXPECT_EQ(explained().advice, advice + "; " + who);
}

// A program that makes room for another one is no equal of it, for all that both ask for.
TEST_F(Explain, NoEqualMakesRoom) {
    policy = "KEDF";
    got(40);
    other["priority"] = 0;
    slow["cost"][1]["victims"].push_back({{"pid", 1002}, {"program", "server"}, {"ms", 391.0}, {"holds", 7}});
    expect(WhySlow::kHost, true, "it gave the device work only 40 percent of the time", "");
    EXPECT_FALSE(has(explained().headline, "beside")) << explained().headline;
    got(60);
    expect(WhySlow::kShares, true, "pid 1002 (server, priority 0) made room for it", "profiler");
    EXPECT_FALSE(has(explained().advice, "deadline")) << explained().advice;
    slow["cost"][1]["victims"].clear();
    expect(WhySlow::kShares, true, "it runs beside pid 1002 (server, priority 0), as the hardware", "-d TIME");
    policy = "HPF";
    expect(WhySlow::kShares, true, "(server, priority 0) of its priority, as the hardware", "-p 1");
}

TEST_F(Explain, AGangHasOnePriority) {
    other["priority"] = 0;
    slow["hints_in_force"]["gang"] = other["hints_in_force"]["gang"] = "train";
    expect(WhySlow::kShares, true, "beside pid 1002",
           "take it out of their gang, which has one priority (xcli hint 1001");
    EXPECT_FALSE(has(explained().advice, " -p ")) << explained().advice;
    other["hints_in_force"]["gang"] = "other";
    expect(WhySlow::kShares, true, "beside pid 1002", "-p 1");
}

TEST_F(Explain, TheLargestUtilizationIsNotRaised) {
    policy = "UP";
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kTurns, false, "", "lower the other's utilization, since its own is the largest there is");
    EXPECT_TRUE(has(explained().advice, "(xcli hint 1002 -u PERCENT)")) << explained().advice;
    slow["hints_in_force"]["utilization"] = 60;
    expect(WhySlow::kTurns, false, "", "raise its part of the turns (xcli hint 1001 -u PERCENT)");
}

TEST_F(PastCause, UnderLaxityPriorityCountsUnlessTheOtherHintsAreGiven) {
    policy = "LAX";
    hold(cause("less_urgent", &other, 41, 37));
    expect(WhySlow::kMoreUrgent, false, "", "raise its priority (xcli hint 1001 -p 11)");
    slow["priority"] = 11;
    expect_past("that one is less urgent now");
    other["hints_in_force"]["laxity_us"] = 2000;
    const char* const both = "(xcli hint 1001 --laxity TIME --critical-priority NUMBER)";
    expect(WhySlow::kMoreUrgent, false, "", both);
    other.erase("hints_in_force");
    slow["hints_in_force"]["laxity_us"] = 2000;
    expect(WhySlow::kMoreUrgent, false, "", both);
}

TEST_F(PastCause, NoAdviceDividesTheQueuesOfOneProcess) {
    Json by = cause("less_urgent", &slow, 300, 1);
    by["itself"] = true;
    policy = "CHPF";
    hold(by);
    expect_past("behind another queue of its own");
}

TEST_F(Explain, UtilizationIsNoShare) {
    policy = "UP";
    slow["share"] = 40;
    slow["hints_in_force"] = {{"utilization", 25}};
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kTurns, false, "policy UP gave the turn to another", " -u PERCENT");
}

}  // namespace
}  // namespace xsched::test
