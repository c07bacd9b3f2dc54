// xcli explain: from facts to the true cause.
#include "cli/explain/explain_rig.h"

namespace xsched::test {
namespace {

struct Reason {
    const char* reason;
    const char* policy;
    bool by_other;
    double ms;
    uint64_t holds;
    WhySlow finding;
    const char *headline, *advice;
};
TEST_F(Explain, EachReasonIsItsOwnFinding) {
    const Reason reasons[] = {
        {"anticipation", "HPF", true, 5, 3, WhySlow::kMoreUrgent, "3 times behind pid 1002", "xcli hint"},
        {"copies_wait", "HPF", true, 50, 5, WhySlow::kMoreUrgent, "its copies would be in the way",
         "xcli hint 1001 -p"},
        {"late", "KEDF", true, 100, 10, WhySlow::kLate, "missed its deadline", "-d "},
        {"expected", "HPF", true, 100, 10, WhySlow::kAnnounced, "a burst that was announced", "--period"},
        {"elsewhere", "HHPF", true, 100, 10, WhySlow::kElsewhere, "on another device", "HPF"},
        {"not_its_turn", "UP", true, 600, 50, WhySlow::kTurns, "policy UP gave the turn to another", " -u PERCENT"},
        {"limited", "SPUP", true, 600, 50, WhySlow::kShareUsedUp, "it has no share, and has used up its part",
         "give it a share (xcli hint 1001 --share"},
        {"not_its_turn", "CFS", true, 500, 50, WhySlow::kTurns, "policy CFS gave the turn to another", "xcli policy"},
        // Turns that the scheduler core gives to equals are told apart from turns of the policy, which may give none.
        {"equals_turn", "HPF", true, 500, 50, WhySlow::kTurns, "programs of one priority take turns",
         "as important as the others"},
        {"favoured", "HPF", true, 500, 50, WhySlow::kTurns, "had waited for half of the starvation limit",
         "as important as the other"}};
    for (const Reason& it : reasons) {
        SCOPED_TRACE(it.reason);
        policy = it.policy;
        other["hints_in_force"] = {{"period_us", 20000}};
        hold(cause(it.reason, it.by_other ? &other : nullptr, it.ms, it.holds));
        expect(it.finding, false, it.headline, it.advice);
    }
}

// One member of the server's answer about the program, and the finding (why the program is slow) that xcli explain
// must draw from it.
struct Told {
    const char* member;
    Json value;
    WhySlow finding;
    bool not_us;
    const char *headline, *advice;
};
TEST_F(Explain, AFactAboutTheProgramItselfIsAFinding) {
    const Json usual = slow;
    const Told all[] = {
        {"suspended_by_itself", true, WhySlow::kSuspendedByItself, true, "XQueueSuspend", "XQueueResume"},
        {"waits_for_host", true, WhySlow::kWaitsForHost, true, "wait for its host", "event"},
        {"memory_on_host", uint64_t{3} << 29, WhySlow::kWaitsForMemory, false, "1.5 GiB are on the host", "priority"},
        {"lost_claim", true, WhySlow::kLostClaim, false, "lost its claim", "complete"},
        {"unscheduled", 3, WhySlow::kUnscheduled, false, "3 of its queues", "xcli limit"},
        {"queues", 0, WhySlow::kNoQueues, true, "", "first launch"}};
    for (const Told& it : all) {
        SCOPED_TRACE(it.member);
        slow = usual;
        slow[it.member] = it.value;
        expect(it.finding, it.not_us, it.headline, it.advice);
    }
}

TEST_F(Explain, HeldByAMoreUrgentProgram) {
    hold(cause("less_urgent", &other, 41, 37));
    expect(WhySlow::kMoreUrgent, false,
           "held 41.0 ms in the last second: 37 times behind pid 1002 (server, priority 10), longest 2.1 ms",
           "xcli hint 1001 -p 11");
}

TEST_F(Explain, NobodyIsHeldForLongerThanTheWindow) {
    hold(cause("less_urgent", &other, 1090, 37));
    expect(WhySlow::kMoreUrgent, false, "held 1.0 s in the last second: 37 times", "xcli hint 1001 -p 11");
}

TEST_F(Explain, ItsKernelsWereTakenOff) {
    Json by = cause("less_urgent", &other, 41, 37);
    by["mechanism"] = "interrupt";
    slow["command_ms"] = 3.0;
    hold(by);
    expect(WhySlow::kMoreUrgent, false, "its commands of 3.0 ms were taken off the device (level 3)", "");
    slow["slowed"] = true;
    expect(WhySlow::kMoreUrgent, false, "its commands of 3.0 ms are kept to few compute units, where they go on", "");
    by["mechanism"] = "timeslice";
    hold(by);
    expect(WhySlow::kMoreUrgent, false, "a short timeslice in the hardware", "");
}

TEST_F(Explain, WhatEachWayToKeepItOffWasExpectedToCost) {
    const auto kept_off = [this]() -> std::string {
        for (const std::string& detail : explained().details)
            if (detail.starts_with("kept off")) return detail;
        return "";
    };
    hold(cause("less_urgent", &other, 41, 37));
    EXPECT_EQ(kept_off(), "") << "nobody kept it off";
    const Json gate{{"mechanism", "gate"}, {"urgent_loses_ms", 0.41}, {"it_loses_ms", 0.0}};
    const Json interrupt{{"mechanism", "interrupt"}, {"urgent_loses_ms", 0.19}, {"it_loses_ms", 0.5}};
    slow["kept_off"] = {{"mechanism", "interrupt"}, {"candidates", {gate, interrupt}}};
    EXPECT_EQ(kept_off(), "kept off: by interrupt; expected loss 0.19 ms (gate 0.41 ms)");
    slow["kept_off"]["mechanism"] = "interrupt_late";
    EXPECT_EQ(kept_off(), "kept off: by interrupt_late (gate 0.41 ms, interrupt 0.19 ms)") << "nobody planned that";
    slow["kept_off"] = {{"mechanism", "gate"}, {"candidates", {gate}}};
    EXPECT_EQ(kept_off(), "kept off: by gate; expected loss 0.41 ms");
    slow["kept_off"] = nullptr;
    EXPECT_EQ(kept_off(), "");
}

TEST_F(Explain, BurstsAreJoinedToTheRequestsThatTheyArePartOf) {
    const auto bursts = [this] {
        for (const std::string& detail : explained().details)
            if (detail.starts_with("bursts")) return detail;
        return std::string();
    };
    EXPECT_EQ(bursts(), "bursts: p50 1.0 ms, p99 2.0 ms of 10 that were followed");
    slow["request_lengths"] = {{"count", 3}, {"p50_ms", 60.0}, {"p99_ms", 61.5}};
    EXPECT_EQ(
        bursts(),
        "bursts: p50 1.0 ms, p99 2.0 ms of 10 that were followed; joined over pauses below 1 ms, without the time "
        "held: p50 60.0 ms, p99 61.5 ms of 3");
    slow["bursts"]["count"] = 0;
    EXPECT_EQ(bursts(), "") << "none was followed";
}

TEST_F(Explain, HeldByAProgramOfAnotherUser) {
    Json by = cause("less_urgent", nullptr, 41, 37);
    by["program"] = "another user's program";
    hold(by);
    expect(WhySlow::kMoreUrgent, false, "behind another user's program", "");
}

TEST_F(Explain, HeldTenSecondsAgo) {
    hold(cause("less_urgent", &other, 41, 37));
    slow["held"][0] = window(1);
    expect(WhySlow::kMoreUrgent, false, "in the last 10 s", "");
}

TEST_F(Explain, Starved) {
    hold(cause("less_urgent", &other, 990, 1), 1000);
    expect(WhySlow::kStarved, false, "only the starvation limit lets it run", "--share");
}

TEST_F(Explain, HeldByItsOwnQueue) {
    Json by = cause("less_urgent", &slow, 41, 37);
    by["itself"] = true;
    hold(by);
    expect(WhySlow::kOwnQueue, false, "behind another queue of its own", "one priority");
}

TEST_F(Explain, ShareUsedUp) {
    policy = "PUP";
    slow["share"] = 30;
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kShareUsedUp, false, "it has used up its share of 30 percent for now", "--share");
}

TEST_F(Explain, TheShareOfItsUserIsUsedUp) {
    policy = "PUP";
    slow["share"] = 30;
    slow["user_gets"] = {{"share", 20}, {"limit", 100}};
    slow["uid"] = 0;
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kShareUsedUp, false, "its user has used up the user's share of 20 percent for now",
           "root or the server's own user can give the user a larger share (xcli limit root:share=PERCENT");
}

TEST_F(Explain, AShareThatCountsAsLessSaysSo) {
    policy = "PUP";
    slow["share"] = 80;
    slow["devices"][0]["share_worth"] = 50;
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kShareUsedUp, false,
           "it has used up its share of 80 percent, which counts as 50 because all together ask for more than 100, for "
           "now",
           "give others smaller shares");
}

TEST_F(Explain, UnderAutoTheAdviceIsATargetThatTheProgramCanReach) {
    policy = "AUTO";
    hold(cause("not_its_turn", &other, 600, 50));
    expect(WhySlow::kTurns, false, "", "(xcli hint 1001 --slo-p99 2x: twice what they take alone)");
    slow["slo_p99"] = 5000;
    expect(WhySlow::kTurns, false, "policy AUTO gave the turn to another",
           "or give it a lower target (xcli hint 1001 --slo-p99 TIME)");
    slow["bursts"]["p99_ms"] = 161.2;
    expect(WhySlow::kTurns, false, "",
           "or give it a target that it keeps beside the others, such as 170ms (xcli hint 1001 --slo-p99 170ms)");
    slow["bursts"]["p99_ms"] = 5.32;
    expect(WhySlow::kTurns, false, "", "such as 5400us (xcli hint 1001 --slo-p99 5400us)");
    slow["bursts"]["p99_ms"] = 2.0;
    slow["devices"][0]["policy_says"] = "AUTO: its target of 5.0 ms cannot be met";
    expect(WhySlow::kTurns, false, "",
           "give it a target that is longer than what AUTO says its bursts take (xcli hint 1001 --slo-p99 TIME)");
}

TEST_F(Explain, TheServersOwnLineIsNamed) {
    policy = "EXPR";
    hold(cause("less_urgent", &other, 400, 20), 950);
    expect(WhySlow::kTurns, false, "policy EXPR gave the turn", "'xcli config' shows the line (server.policy_expr");
    EXPECT_FALSE(has(explained().advice, "author")) << explained().advice;
}

// The server has counted no hold yet, which it does at its end or each second.
TEST_F(Explain, AHoldThatHasJustBegunIsNotDenied) {
    slow["state"] = "suspended";
    slow["held_since_ms"] = 82.8;
    expect(WhySlow::kSuspended, false, "a person suspended it 82.8 ms ago (xcli suspend)", "xcli resume 1001");
    slow["state"] = "held";
    expect(WhySlow::kJustHeld, false, "held for 82.8 ms until now", "xcli status 1001");
}

TEST_F(Explain, UnderAPolicyOfALibraryNoHintIsAdvised) {
    policy = "FIRST_COME";
    const auto expect_none = [this](const char* headline, WhySlow finding) {
        const Explained told = explained();
        EXPECT_EQ(told.finding, finding) << told.headline;
        EXPECT_TRUE(has(told.headline, headline)) << told.headline;
        EXPECT_TRUE(has(told.advice, "ask the author of policy FIRST_COME")) << told.advice;
        EXPECT_FALSE(has(told.advice, "xcli hint")) << told.advice;
    };
    for (const char* reason : {"less_urgent", "anticipation", "not_its_turn"}) {
        hold(cause(reason, &other, 400, 20), 950);
        expect_none("pid 1002 (server, priority 10), longest 400 ms; policy FIRST_COME gave the turn to another",
                    WhySlow::kTurns);
    }
    Json itself = cause("less_urgent", &slow, 41, 37);
    itself["itself"] = true;
    hold(itself);
    expect_none("behind another queue of its own", WhySlow::kOwnQueue);
    hold(cause("equals_turn", &other, 41, 37));
    expect_none("take turns below a more urgent one", WhySlow::kTurns);
    for (Json& held : slow["held"]) held = window(held["seconds"]);
    other["priority"] = 0;
    expect_none("it runs beside pid 1002", WhySlow::kShares);
}

TEST_F(Explain, AnEndedProgramIsNotToBeLowered) {
    hold(cause("more_urgent", &other, 400, 20));
    expect(WhySlow::kMoreUrgent, false, "", "lower the other's");
    other["pid"] = 4194999;  // the cause keeps the number that it had
    const std::string advice = explained().advice;
    EXPECT_FALSE(has(advice, "xcli hint 1002")) << advice;
}

TEST_F(Explain, Limit) {
    slow["limit"] = 20;
    hold(cause("limited", nullptr, 800, 8));
    expect(WhySlow::kLimit, false, "its limit is 20 percent", "--limit");
}

TEST_F(Explain, SuspendedByAPerson) {
    hold(cause("held", nullptr, 1000, 0), 60000);
    slow["state"] = "suspended";
    slow["held_since_ms"] = 60000.0;
    expect(WhySlow::kSuspended, false, "a person suspended it", "xcli resume 1001");
    EXPECT_EQ(explained().details.front(), "now: suspended for 60.0 s");
}

TEST_F(Explain, ServerLost) {
    restarts = 1;
    uptime_s = 0.8;
    expect(WhySlow::kServerIsNew, false, "started again 800 ms ago", "log");
    uptime_s = 3600;
    EXPECT_NE(explained().finding, WhySlow::kServerIsNew);
}

TEST_F(Explain, StoppedProcess) {
    slow["stopped"] = true;
    hold(cause("less_urgent", &other, 41, 37));
    expect(WhySlow::kStopped, true, "stopped by a signal", "kill -CONT 1001");
}

TEST_F(Explain, LongKernelsWithoutLevelThree) {
    std::swap(slow["priority"], other["priority"]);
    other["command_ms"] = 12.0;
    expect(WhySlow::kLongKernels, false, "commands of pid 1002 (server, priority 0) take 12.0 ms", "xcli doctor");
    other["state"] = "suspended";
    expect(WhySlow::kLongKernels, false, "", "xcli doctor");
    other["devices"][0]["got_percent"] = {0.0, 40.0, 60.0};
    expect(WhySlow::kAlone, true, "no other works on its device", "profiler");
    slow["state"] = "idle";
    EXPECT_EQ(explained().finding, WhySlow::kIdle);
    slow["state"] = "runs";
    other = program(2, "server", 0);
    other["command_ms"] = 12.0;
    other["best_level"] = 3;
    expect(WhySlow::kLongKernels, false, "", "-l 3");
    other["level"] = 3;
    EXPECT_EQ(explained().finding, WhySlow::kShares);
}

TEST_F(Explain, MoreQueuesThanItsGpuTakesAtOnce) {
    slow["devices"][0]["driver_queues"] = 25;
    slow["devices"][0]["most_driver_queues"] = 25;
    got(95);
    EXPECT_EQ(explained().finding, WhySlow::kItsOwnWork);
    slow["devices"][0]["most_driver_queues"] = 24;
    expect(WhySlow::kCrowded, true, "GPU:1 (cuda) has 25 compute queues of all programs and takes 24 at once",
           "GPU_MAX_HW_QUEUES=2");
    slow["state"] = "idle";
    EXPECT_EQ(explained().finding, WhySlow::kItsOwnWork) << "it has no work";
    EXPECT_TRUE(has(explained().details.back(), "takes 24 at once")) << explained().details.back();
}

TEST_F(Explain, HeldOnACrowdedDevice) {
    slow["devices"][0]["driver_queues"] = 30;
    slow["devices"][0]["most_driver_queues"] = 24;
    hold(cause("less_urgent", &other, 41, 37));
    expect(WhySlow::kMoreUrgent, false, "behind pid 1002", "xcli hint");
    EXPECT_TRUE(has(explained().details.back(), "in turns, urgent ones as well; run fewer programs"))
        << explained().details.back();
}

TEST_F(Explain, CopiesOfAnotherThatKeepTheEngine) {
    std::swap(slow["priority"], other["priority"]);
    copies(slow, 30, 1 << 20);
    copies(other, 90, 256 << 20);
    expect(WhySlow::kCopies, false, "those of pid 1002 (server, priority 0) have 256 MiB each", "XSCHED_COPY_PIECE=0");
    slow["priority"] = 0;
    expect(WhySlow::kCopies, false, "30 percent", "xcli hint 1001 -p 1");
    copies(other, 90, 1 << 20);
    EXPECT_EQ(explained().finding, WhySlow::kShares) << "each ends soon";
    copies(other, 90, 256 << 20);
    copies(slow, 0, 0);
    EXPECT_EQ(explained().finding, WhySlow::kShares) << "it does not copy itself";
}

TEST_F(Explain, ItsOwnCopies) {
    copies(slow, 80, 4 << 20);
    expect(WhySlow::kCopies, true, "80 percent of its commands are copies of 4 MiB each", "pinned");
    copies(slow, 80, 1000);
    EXPECT_NE(explained().finding, WhySlow::kCopies) << "these take no time";
}

TEST_F(Explain, ItsOwnWork) {
    got(97);
    expect(WhySlow::kItsOwnWork, true, "worked for it 97 percent of the time", "profiler");
}

TEST_F(Explain, HostBound) {
    got(12);
    expect(WhySlow::kHost, true, "work only 12 percent of the time", "host profiler");
}

TEST_F(Explain, CommandsThatAreTooShort) {
    got(12);
    slow["command_ms"] = 0.005;
    expect(WhySlow::kShortCommands, true, "commands of 5 us each", "graphs");
}

TEST_F(Explain, BesideOthersOfItsPriority) {
    other["priority"] = 0;
    expect(WhySlow::kShares, true, "it runs beside pid 1002", "-p 1");
}

TEST_F(Explain, Alone) {
    other["devices"][0]["device"] = "GPU:2";
    slow["followed"] = false;
    got(0);
    expect(WhySlow::kAlone, true, "alone on its device", "vendor's profiler");
}

TEST_F(Explain, BesideAnotherUsersProgram) {
    other["devices"][0]["device"] = "GPU:2";
    got(0);
    slow["cost"][2]["victims"].push_back({{"program", "another user's program"}, {"ms", 4800.0}, {"holds", 7}});
    expect(WhySlow::kShares, true, "another user's program made room for it in the last 60 s", "profiler");
}

TEST_F(Explain, APriorityThatALimitCuts) {
    slow["priority"] = 200;
    slow["group_gets"]["highest_priority"] = 5;
    const std::string text = explained_text(slow, explained());
    EXPECT_NE(text.find("asked for: priority 200, of which a limit leaves 5"), std::string::npos) << text;
}

TEST_F(Explain, Idle) {
    slow["state"] = "idle";
    got(0);
    expect(WhySlow::kIdle, true, "it has no work now", "");
}

TEST_F(Explain, WhatItCostsOthers) {
    slow["cost"][2]["victims"].push_back({{"pid", 7}, {"program", "batch"}, {"ms", 12.3}});
    EXPECT_EQ(explained().details.back(), "costs others: pid 7 (batch) 12.3 ms in the last 60 s");
}

TEST(Lengths, ArePutIntoWords) {
    EXPECT_EQ(cli::length_text(0.0123), "12 us");
    EXPECT_EQ(cli::length_text(2.14), "2.1 ms");
    EXPECT_EQ(cli::length_text(412.4), "412 ms");
    EXPECT_EQ(cli::length_text(1500), "1.5 s");
}

}  // namespace
}  // namespace xsched::test
