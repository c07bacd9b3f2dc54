// Tests every hint of base/hints.def with xcli: from the command line through the server's JSON into the slot and
// back, and through the environment that `xcli run` sets.
#include "base/hints.h"

#include "base/clock.h"
#include "base/short_name.h"
#include "cli/cli_rig.h"
#include "config/latency_target.h"
#include "ipc/slot_hints.h"

namespace xsched::test {
namespace {

using base::HintInfo;

// "-p,--priority" -> "--priority"
std::string long_word(const HintInfo& hint) {
    const std::string words = hint.words;
    return words.substr(words.rfind(',') + 1);
}

// A latency target needs a unit.
std::string written(const HintInfo& hint, int64_t told) {
    return std::to_string(told) + (hint.kind == base::HintKind::kTarget && told > 0 ? "us" : "");
}

// The words with the hint behind them.
std::vector<std::string> with_hint(std::vector<std::string> words, const HintInfo& hint, int64_t told) {
    if (hint.kind == base::HintKind::kSwitch) {
        words.push_back(told != 0 ? long_word(hint) : "--no-" + long_word(hint).substr(2));
        return words;
    }
    words.insert(words.end(), {long_word(hint), written(hint, told)});
    return words;
}

struct Written {
    const char* text;
    const char* value;
};

// Returns the values that a hint may have, as a sentence about a wrong one ends.
std::string range_of(const HintInfo& hint) {
    if (hint.kind == base::HintKind::kBytes) return "a size from 0 to 256TiB";
    if (hint.kind == base::HintKind::kTarget) return "up to 3600s, or 100x of the time alone";
    const bool is_time = std::string(hint.request).ends_with("_us");
    const auto text = [is_time](int64_t value) {
        return is_time ? config::text_of_target(value) : std::to_string(value);
    };
    return "from " + text(hint.least) + " to " + text(hint.most);
}

class Hints : public WithTrainer {
protected:
    // Checks the variable of a program that xcli run starts, for the option as a person writes it.
    void expect_values(const char* option, const char* variable, std::initializer_list<Written> cases) {
        for (const Written& one : cases)
            EXPECT_EQ(xcli({"run", option, one.text, "--", "/usr/bin/printenv", variable}).out,
                      std::string(one.value) + "\n")
                << one.text;
    }

    int64_t kept(const HintInfo& hint) { return base::get_hint(ipc::load_hints(client.slot(0)), hint.id); }
};

TEST_F(Hints, EveryOneReachesTheSlotAndTheList) {
    client.slot(0).platform = kPlatformCUDA;  // its memory is counted
    for (const HintInfo& hint : base::kHints) {
        ASSERT_NE(hint.words, nullptr) << hint.name;
        SCOPED_TRACE(hint.name);
        const int64_t told = hint.most - 1;
        const int64_t before_ns = base::now_ns();
        EXPECT_EQ(xcli(with_hint({"hint", "-x", "0xab1"}, hint, told)).out, "hinted 1 queue\n");
        EXPECT_GE(kept(hint), hint.kept(told, before_ns));
        EXPECT_LE(kept(hint), hint.kept(told, base::now_ns()));
        if (hint.kind == base::HintKind::kSwitch) continue;
        for (const int64_t wrong : {hint.least - 1, hint.most + 1})
            expect_sentence({"hint", "-x", "0xab1", long_word(hint), written(hint, wrong)}, " not " + range_of(hint));
    }
    const int64_t now_ns = base::now_ns();
    const Json listed = xcli({"list", "--json"}).json()["queues"][0];
    for (const HintInfo& hint : base::kHints) {
        ASSERT_NE(hint.listed, nullptr) << hint.name;
        ASSERT_TRUE(listed.contains(hint.listed)) << hint.listed;
        if (hint.kind == base::HintKind::kName) {
            EXPECT_EQ(listed[hint.listed], base::name_of_number(kept(hint)));
            continue;
        }
        EXPECT_LE(listed[hint.listed].get<int64_t>(), hint.told(kept(hint), now_ns)) << hint.listed;
        EXPECT_GE(listed[hint.listed].get<int64_t>(), hint.told(kept(hint), base::now_ns())) << hint.listed;
    }
}

TEST_F(Hints, RunPutsThemIntoTheEnvironment) {
    for (const HintInfo& hint : base::kHints) {
        ASSERT_TRUE(hint.in_run != base::HintInRun::kNoRun && hint.option != nullptr) << hint.name;
        SCOPED_TRACE(hint.name);
        const auto run = [&](int64_t value) {
            std::vector<std::string> words = with_hint({"run"}, hint, value);
            words.insert(words.end(), {"--", "/usr/bin/printenv", hint.option});
            return xcli(words);
        };
        EXPECT_EQ(run(hint.least).out, std::to_string(hint.least) + "\n");
        EXPECT_EQ(run(hint.most).out, std::to_string(hint.most) + "\n");
        if (hint.kind == base::HintKind::kSwitch) continue;
        EXPECT_EQ(run(hint.most + 1).status, 2);
        EXPECT_EQ(run(hint.least - 1).status, 2);
    }
}

TEST_F(Hints, ASizeHasAUnit) {
    expect_values("--memory-limit", "XSCHED_MEMORY_LIMIT",
                  {{"20GiB", "21474836480"},
                   {"512mib", "536870912"},
                   {"1.5G", "1610612736"},
                   {"2 GB", "2000000000"},
                   {"4096", "4096"}});
    expect_sentence({"run", "--memory-limit", "20 apples", "--", "/usr/bin/true"},
                    "\"20 apples\" is no size: use 20GiB");
    expect_sentence({"run", "--memory-limit", "300TiB", "--", "/usr/bin/true"},
                    "300TiB is not a size from 0 to 256TiB");
}

TEST_F(Hints, ALatencyTargetIsALengthOrAFactor) {
    expect_values("--slo-p99", "XSCHED_AUTO_XQUEUE_SLO_P99",
                  {{"5ms", "5000"},
                   {"800us", "800"},
                   {"0.25s", "250000"},
                   {"1.3x", "-130"},
                   {"2m", "120000000"},
                   {"0", "0"},
                   {"0ms", "0"},
                   {"1x", "-100"}});
    for (const char* wrong : {"0.5x", "0.99x", "-50"})
        expect_sentence({"hint", "-x", "0xab1", "--slo-p99", wrong},
                        "\"" + std::string(wrong) + "\" is shorter than alone, which no scheduler can keep: use 1x");
    for (const char* wrong : {"5 parsecs", "ms", "-1.3x", "1e12s", "5%", "0x", "0.0001us"})
        expect_sentence({"run", "--slo-p99", wrong, "--", "/usr/bin/true"},
                        "\"" + std::string(wrong) + "\" is no target: use a time such as 5ms");
    for (const char* bare : {"5", "0.5", "700"})
        expect_sentence({"hint", "-x", "0xab1", "--slo-p99", bare},
                        "\"" + std::string(bare) + "\" has no unit: say " + bare + "ms");
    for (const char* far : {"5000s", "101x"})
        expect_sentence({"hint", "-x", "0xab1", "--slo-p99", far},
                        "--slo-p99: " + std::string(far) + " is not up to 3600s, or 100x of the time alone");
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "--slo-p99", "1.5x"}).out, "hinted 1 queue\n");
    EXPECT_EQ(kept(base::hint_info(base::HintId::slo_p99)), -150);
}

TEST_F(Hints, ATimeMayHaveAUnit) {
    for (const HintInfo& hint : base::kHints) {
        if (!std::string(hint.request).ends_with("_us")) continue;
        SCOPED_TRACE(hint.name);
        const Outcome outcome = xcli({"run", long_word(hint), "2.5ms", "--", "/usr/bin/printenv", hint.option});
        EXPECT_EQ(outcome.out, "2500\n") << outcome.err;
        EXPECT_FALSE(has(outcome.err, " means ")) << outcome.err;
        EXPECT_FALSE(has(xcli({"hint", "-x", "0xab1", long_word(hint), "2500"}).err, " means "));
        const std::string none = xcli({"run", long_word(hint), "0ms", "--", "/usr/bin/printenv", hint.option}).out;
        EXPECT_EQ(none, hint.least == 0 ? "0\n" : "");
        const std::string few = long_word(hint) + " 200 means 200 us: say 200ms for milliseconds\n";
        EXPECT_TRUE(has(xcli({"hint", "-x", "0xab1", long_word(hint), "200"}).err, few));
        EXPECT_TRUE(has(xcli({"run", long_word(hint), "200", "--", "/usr/bin/true"}).err, few));
        expect_sentence({"hint", "-x", "0xab1", long_word(hint), "5 parsecs"},
                        "\"5 parsecs\" is not a time from " + config::text_of_target(hint.least));
    }
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"record", "-o", directory / "x", "-t"}, {"explain", "trainer", "--slow"}, {"trace", "-o", "x", "-t"}}) {
        std::vector<std::string> bare = words;
        bare.emplace_back("5");
        expect_sentence(bare, "\"5\" has no unit: say 5s or 5ms");
    }
}

TEST_F(Hints, MemoryHintsSayWhereTheyHaveNoEffect) {
    const std::string said =
        "xcli: memory-limit has no effect with OpenCL: the program's memory stays on the device and is not counted\n";
    EXPECT_EQ(xcli({"hint", "trainer", "--memory-limit", "1GiB"}).err, said);
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "--memory-limit", "1GiB"}).err, said);
    EXPECT_EQ(xcli({"hint", "trainer", "--memory-limit", "0"}).err, "") << "nothing is asked for";
    const std::string of_evictable = xcli({"hint", "trainer", "--evictable"}).err;
    EXPECT_TRUE(has(of_evictable, "evictable has no effect with OpenCL")) << of_evictable;
    EXPECT_FALSE(has(of_evictable, "can be moved")) << of_evictable;
    const std::string of_suspend = xcli({"suspend", "trainer", "--memory"}).err;
    EXPECT_TRUE(has(of_suspend, "stays on its device")) << of_suspend;
    client.slot(0).platform = kPlatformCUDA;
    EXPECT_EQ(xcli({"hint", "trainer", "--memory-limit", "1GiB"}).err, "");
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--evictable"}).err, "can be moved"));
}

TEST_F(Hints, WhatThePolicyReadsIsShown) {
    ASSERT_EQ(xcli({"policy", "UP"}).status, 0);
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["hints_in_force"], Json::object())
        << "all are at their defaults";
    ASSERT_EQ(xcli({"hint", "trainer", "-u", "25", "-t", "7ms", "--deadline", "9ms", "--share", "40"}).status, 0);
    const std::string told = "utilization 25 %, timeslice 7.0 ms";
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["hints_in_force"],
              (Json{{"utilization", 25}, {"timeslice_us", 7000}}));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"explain", "trainer"}, {"status"}, {"list", "--wide"}}) {
        const std::string shown = xcli(words).out;
        EXPECT_TRUE(has(shown, told)) << shown;
        EXPECT_TRUE(has(shown,
                        "without effect: priority 3 (policy UP does not read it), deadline 9.0 ms (policy UP does not "
                        "read it), share 40 %"))
            << shown;
    }
    const std::string percent = "idle    25";
    EXPECT_TRUE(has(xcli({"list"}).out, percent)) << xcli({"list"}).out;
    EXPECT_TRUE(has(xcli({"top"}).out, " 25 ")) << xcli({"top"}).out;
    ASSERT_EQ(xcli({"policy", "PUP"}).status, 0);
    EXPECT_TRUE(has(xcli({"list"}).out, "idle    40")) << "a share goes before";
}

TEST_F(Hints, ASizeOfFewBytesIsRemarkedOn) {
    const std::string said = "xcli: --memory-limit 20 means 20 bytes: say 20GiB or 20MiB\n";
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--memory-limit", "20"}).err, said));
    EXPECT_TRUE(has(xcli({"run", "--memory-limit", "20", "--", "/usr/bin/true"}).err, said));
    for (const char* clear : {"20KiB", "20000000", "0"})
        EXPECT_FALSE(has(xcli({"hint", "trainer", "--memory-limit", clear}).err, " means ")) << clear;
}

TEST_F(Hints, ASwitchTakesNoValue) {
    for (const HintInfo& hint : base::kHints) {
        if (hint.kind != base::HintKind::kSwitch) continue;
        const std::string words = hint.words;
        for (const char* value : {"=3", "=no", "=0"})
            expect_sentence({"hint", "-x", "0xab1", words + value},
                            words + " takes no value: write " + words + " or --no-" + words.substr(2));
    }
}

TEST_F(Hints, TakingAHintBackIsNoRequest) {
    for (const char* option : {"--share", "--deadline"}) {
        EXPECT_TRUE(has(xcli({"hint", "trainer", option, "50"}).err, "does not use")) << option;
        EXPECT_EQ(xcli({"hint", "trainer", option, "0"}).err, "") << option;
    }
}

TEST_F(Hints, APriorityInTheBackgroundIsWithoutEffect) {
    ASSERT_EQ(xcli({"hint", "trainer", "--background", "-p", "5"}).status, 0);
    const std::string told = xcli({"explain", "trainer"}, {{"COLUMNS", "400"}}).out;
    EXPECT_TRUE(has(told, "without effect: priority 5 (the background is less urgent than all)")) << told;
    ASSERT_EQ(xcli({"hint", "trainer", "--no-background"}).status, 0);
    EXPECT_FALSE(has(xcli({"explain", "trainer"}, {{"COLUMNS", "400"}}).out, "without effect"));
}

// A hint that has no effect beside another one is told, whichever of them comes first.
TEST_F(Hints, ContradictionsAreTold) {
    const std::string in_background = "priority 10 has no effect beside background\n";
    EXPECT_TRUE(has(xcli({"run", "--background", "-p", "10", "--", "/usr/bin/true"}).err, in_background));
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--background", "-p", "10"}).err, in_background));
    EXPECT_TRUE(has(xcli({"hint", "-x", "0xab1", "-p", "10"}).err, in_background)) << "as it was told before";
    EXPECT_FALSE(has(xcli({"hint", "trainer", "--side-by-side"}).err, "background")) << "nothing new";
    EXPECT_FALSE(has(xcli({"hint", "trainer", "-p", "-256"}).err, "has no effect")) << "it never runs";
    EXPECT_FALSE(has(xcli({"hint", "trainer", "-p", "10", "--no-background"}).err, "has no effect"));
    ASSERT_EQ(xcli({"policy", "AUTO"}).status, 0);
    const std::string told = xcli({"hint", "trainer", "--background", "-p", "10"}).err;
    EXPECT_TRUE(has(told, "background does not make the program less urgent under policy AUTO")) << told;
    EXPECT_FALSE(has(told, "no effect beside")) << told;
    ASSERT_EQ(xcli({"policy", "HPF"}).status, 0);
    const std::string beyond = " has no effect beyond limit 20, which is the most that the program gets\n";
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--share", "30", "--limit", "20"}).err, "share 30" + beyond));
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--share", "25"}).err, "share 25" + beyond));
    EXPECT_FALSE(has(xcli({"hint", "trainer", "--share", "20"}).err, "beyond"));
    EXPECT_TRUE(has(xcli({"run", "--memory-guarantee", "2GiB", "--memory-limit", "1GiB", "--", "/usr/bin/true"}).err,
                    "memory-guarantee 2GiB has no effect beyond memory-limit 1GiB"));
    EXPECT_TRUE(has(xcli({"run", "--lax-priority", "5", "--", "/usr/bin/true"}).err,
                    "lax-priority 5 has no effect without laxity\n"));
}

TEST_F(Hints, ABatchIsAtMostTheThresholdThatWasSetBefore) {
    client.slot(0).threshold = 4;
    expect_sentence({"config", "trainer", "-b", "9"}, "the batch size 9 is larger than the threshold 4 of queue " +
                                                          std::to_string(getpid()) +
                                                          ".1: a batch is at most the threshold, so give both");
    expect_sentence({"config", "-x", "0xab1", "-b", "9"}, "larger than the threshold 4");
    client.slot(0).batch_size = 3;
    expect_sentence({"config", "trainer", "--threshold", "2"}, "the batch size 3 is larger than the threshold 2");
    EXPECT_EQ(xcli({"config", "trainer", "--threshold", "2", "-b", "2"}).status, 0);
    client.slot(0).threshold = 0;
    client.header().default_threshold = 4;
    client.header().default_batch_size = 0;
    expect_sentence({"config", "trainer", "-b", "9"}, "the threshold 4 of process " + std::to_string(getpid()) + ":");
    const std::string err =
        xcli({"run", "-b", "9", "--", "/usr/bin/true"}, {{"XSCHED_AUTO_XQUEUE_THRESHOLD", "4"}}).err;
    EXPECT_TRUE(has(err, "a batch of 9 is larger than the threshold 4: batches have 4 commands")) << err;
}

TEST_F(Hints, ATargetIsShownWhereThePolicyDoesNotReadIt) {
    ASSERT_EQ(xcli({"hint", "trainer", "--slo-p99", "5ms"}).status, 0);
    const std::string told = "without effect: p99 target 5.0 ms (policy HPF does not read it)";
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"explain", "trainer"}, {"status"}, {"list", "--wide"}}) {
        const std::string shown = xcli(words).out;
        EXPECT_TRUE(has(shown, told)) << shown;
    }
    EXPECT_EQ(xcli({"status", "--json"}).json()["processes"][0]["hints_ignored"], (Json{{"slo_p99", 5000}}));
}

// Background lowers the priority, so that a policy without priorities leaves only its other effects.
TEST_F(Hints, BackgroundIsToldWhereThePolicyHasNoPriorities) {
    EXPECT_FALSE(has(xcli({"hint", "trainer", "--background"}).err, "does not make")) << "HPF reads priorities";
    for (const char* policy : {"UP", "PUP", "AUTO", "MLFQ"}) {
        ASSERT_EQ(xcli({"policy", policy}).status, 0);
        const std::string told = "background does not make the program less urgent under policy " +
                                 std::string(policy) + ", which does not use priority";
        const std::string others = "; CFS, HHPF, HPF, LAX do\n";
        EXPECT_TRUE(has(xcli({"hint", "trainer", "--background"}).err, told + others)) << policy;
        EXPECT_TRUE(has(xcli({"run", "--background", "--", "/usr/bin/true"}).err, told + others)) << policy;
        EXPECT_FALSE(has(xcli({"run", "--no-background", "--", "/usr/bin/true"}).err, "less urgent")) << policy;
        for (const std::vector<std::string>& words :
             std::vector<std::vector<std::string>>{{"explain", "trainer"}, {"status"}, {"list", "--wide"}})
            EXPECT_TRUE(has(xcli(words).out, told)) << policy << xcli(words).out;
    }
    EXPECT_FALSE(has(xcli({"hint", "trainer", "--no-background"}).err, "less urgent"));
    EXPECT_FALSE(has(xcli({"explain", "trainer"}).out, "less urgent"));
}

TEST_F(Hints, TheShareThatCountsIsShown) {
    ASSERT_EQ(xcli({"policy", "PUP"}).status, 0);
    const std::string user = std::to_string(geteuid());
    ASSERT_EQ(xcli({"hint", "trainer", "--share", "40"}).err, "");
    EXPECT_TRUE(has(xcli({"list"}).out, "idle    40")) << xcli({"list"}).out;
    ASSERT_EQ(xcli({"limit", user + ":share=20"}).status, 0);
    EXPECT_TRUE(has(xcli({"hint", "trainer", "--share", "50"}).err,
                    "xcli: share has no effect: what the program's user or control group has together counts"));
    EXPECT_FALSE(has(xcli({"hint", "trainer", "--limit", "60"}).err, "no effect")) << "counts beside what all have";
    ASSERT_EQ(xcli({"hint", "trainer", "--limit", "100"}).status, 0);
    EXPECT_TRUE(has(xcli({"list"}).out, "idle    20")) << xcli({"list"}).out;
    EXPECT_EQ(xcli({"top", "--json"}).json()["programs"][0]["share"], 50) << "its own";
    EXPECT_TRUE(has(xcli({"top"}).out, " 20 ")) << xcli({"top"}).out;
    const std::string explained = xcli({"explain", "trainer"}).out;
    for (const char* sentence : {"its user has together a share of 20 percent; preempt",
                                 ", share 50 % (what its user or control group has together counts)"})
        EXPECT_TRUE(has(explained, sentence)) << explained;
}

TEST_F(Hints, APriorityIsShownAsWithoutEffectWhereThePolicyDoesNotReadIt) {
    ASSERT_EQ(xcli({"hint", "trainer", "-p", "7"}).status, 0);
    ASSERT_EQ(xcli({"policy", "SPUP"}).status, 0);
    const std::string told = "without effect: priority 7 (policy SPUP does not read it)";
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"explain", "trainer"}, {"status"}, {"list", "--wide"}}) {
        const std::string shown = xcli(words).out;
        EXPECT_TRUE(has(shown, told)) << shown;
    }
    ASSERT_EQ(xcli({"policy", "HPF"}).status, 0);
    const Json process = xcli({"status", "--json"}).json()["processes"][0];
    EXPECT_EQ(process["hints_ignored"], Json::object()) << process;
    EXPECT_EQ(process["hints_in_force"], Json::object()) << "its column shows it";
}

TEST_F(Hints, AMemoryLimitIsNotShownAsInForceWhereItHasNoEffect) {
    ASSERT_EQ(xcli({"hint", "trainer", "--memory-limit", "20GiB"}).status, 0);
    const Json facts = xcli({"explain", "trainer", "--json"}).json()["programs"][0]["facts"];
    EXPECT_EQ(facts["memory_limit"], 0);
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["memory_limit"], 0);
    const std::string shown = xcli({"explain", "trainer"}).out;
    EXPECT_TRUE(has(shown, "without effect: memory limit 20GiB (the program's memory is not counted)")) << shown;
    EXPECT_FALSE(has(shown, "at most 20")) << shown;
    client.slot(0).platform = kPlatformCUDA;
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["memory_limit"], uint64_t{20} << 30);
}

TEST_F(Hints, ReachNoOthersThanWereMeant) {
    const std::string queue = std::to_string(getpid()) + ".1";
    for (const char* command : {"suspend", "resume"}) {
        expect_sentence({command, "trainer", "-x", queue}, "names its process already: leave out trainer");
        expect_sentence({command, "-x", queue, "--device", "0"}, "leave out --device");
        expect_sentence({command, "trainer", "--device", ""}, "the name of the device is empty");
        expect_sentence({command, "trainer", "--device", "9"}, "no queue of trainer is on device \"9\"", 4);
    }
    expect_sentence({"hint", "-t", "5ms", "--device", ""}, "the name of the device is empty");
}

TEST_F(Hints, AQueueIsNamedAsItWasTyped) {
    const std::string me = std::to_string(getpid());
    expect_sentence({"hint", "-x", "0xdead", "-p", "1"}, "there is no queue 0xdead:", 4);
    expect_sentence({"hint", "-x", "19505", "-p", "1"}, "there is no queue 19505:", 4);
    expect_sentence({"hint", "-x", me + ".7", "-p", "1"}, "there is no queue " + me + ".7:", 4);
    expect_sentence({"hint", "-x", "7", "--pid", me, "-p", "1"}, "there is no queue 7 in process " + me + ":", 4);
    EXPECT_EQ(xcli({"hint", "-x", me + ".01", "-p", "9"}).out, "hinted 1 queue\n") << "no octal number";
    expect_sentence({"suspend", "--pid", ""}, "xcli: --pid: the name of a program is empty");
    EXPECT_EQ(xcli({"suspend", "-x", "0xab1"}).out, "suspended queue 0xab1\n");
    EXPECT_EQ(xcli({"resume", "-x", me + ".1"}).out, "resumed queue " + me + ".1\n");
}

TEST_F(Hints, AGangIsAName) {
    const char* const variable = "XSCHED_AUTO_XQUEUE_GANG";
    EXPECT_EQ(xcli({"run", "--gang", "Train-2", "--", "/usr/bin/printenv", variable}).out,
              std::to_string(base::number_of_name("train-2")) + "\n");
    EXPECT_EQ(xcli({"hint", "-x", "0xab1", "--gang", "train"}).out, "hinted 1 queue\n");
    EXPECT_EQ(kept(base::hint_info(base::HintId::gang)), base::number_of_name("train"));
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"][0]["gang"], "train");
    for (const char* wrong : {"", "two words", "a-name-too-long", "9x", "tra\xc3\xafn"})
        expect_sentence({"run", "--gang", wrong, "--", "/usr/bin/true"}, "is no name: use 1 to 12 letters");
}

}  // namespace
}  // namespace xsched::test
