// Tests the verdicts that xcli doctor --run derives, with made-up findings.
#include "cli/doctor/verdicts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/situations.h"

namespace xsched::cli {
namespace {

ChildResult done(Json found) {
    ChildResult result;
    result.ending = Ending::kDone;
    result.found = std::move(found);
    return result;
}

Json stop(int least_after) {
    return {{"stands", true},
            {"exact", true},
            {"least_completed_after", least_after},
            {"rounds", 2},
            {"rounds_completing", least_after > 0 ? 2 : 0}};
}
Json gate_seen() { return {{"code", 0}, {"held", true}, {"opened", true}, {"open_ms", 0.1}}; }
Json way(double stop_us) { return {{"errno", 0}, {"rounds", 3}, {"stood", 3}, {"exact", true}, {"stop_us", stop_us}}; }
Json mask(double times) {
    return {{"errno", 0}, {"rounds", 3}, {"exact", true}, {"units", 38}, {"times_slower", times}};
}
// Returns the result of an urgent program whose bursts have this median and a short tail.
Json urgent_of(const Json& asked) {
    std::string text;
    for (const double ms : test::bursts_of(asked)) text += std::to_string(std::lround(ms * 1e3)) + " ";
    return {{"latency_us", text}, {"exact", true}};
}
Json urgent(double ms) { return urgent_of({{"n", 600}, {"p50", ms}, {"p99", 1.2 * ms}}); }
Json job(double ms, double rate = 100) {
    return {{"urgent", urgent(ms)}, {"victim", {{"exact", true}, {"kernels_per_s", rate}}}};
}
Json route(const char* name, int seen) { return {{"name", name}, {"there", true}, {"seen", seen}}; }

// Returns the findings of a machine on which all is well.
Evidence good(const std::string& platform = "hip") {
    Evidence evidence;
    evidence.platform = platform;
    evidence.steps = {{"runtime", done({{"runtime_version", 70200000}, {"libraries", {"libamdhip64.so.7"}}})},
                      {"device", done({{"exact", true}})},
                      {"routes", done({{"routes", {route("linked", 1), route("dlsym", 1), route("table", 0)}}})},
                      {"gate", done({{"register_code", 0},
                                     {"this_process", gate_seen()},
                                     {"other_process", gate_seen()},
                                     {"gate", {{"together_us", 5}}},
                                     {"report_seen", true}})},
                      {"stop 1", done(stop(3))},
                      {"stop 2", done(stop(1))},
                      {"stop 3", done(stop(0))},
                      {"way update", done(way(900))},
                      {"way debug", done(way(300))},
                      {"way preempt", done({{"errno", 25}, {"error", "Inappropriate ioctl for device"}})},
                      {"job alone", done({{"urgent", urgent(1)}})},
                      {"job native", done(job(20))},
                      {"job 1", done(job(4))},
                      {"job 2", done(job(3))},
                      {"job 3", done(job(2))}};
    return evidence;
}

Verdict verdict(const Evidence& evidence, int level) { return judge(evidence).at(static_cast<size_t>(level - 1)); }

void expect(const Evidence& evidence, int level, Use use, const std::string& because) {
    const Verdict found = verdict(evidence, level);
    EXPECT_EQ(found.use, use) << found.because;
    EXPECT_NE(found.because.find(because), std::string::npos) << found.because;
}

TEST(Verdicts, AllIsWell) {
    const Evidence evidence = good();
    for (int level = 1; level <= 3; ++level) expect(evidence, level, Use::kUse, "p50 falls from 20 ms (");
    EXPECT_EQ(verdict(evidence, 2).environment, (Variables{{"XSCHED_AUTO_XQUEUE_LEVEL", "2"}}));
    EXPECT_TRUE(advice(evidence).empty());
}

TEST(Verdicts, TheWayThatStopsSoonestIsNamed) {
    EXPECT_EQ(best_way(good()), "debug");
    EXPECT_EQ(verdict(good(), 3).environment.at("XSCHED_HIP_INTERRUPT"), "debug");
    Evidence close = good();
    close.steps["way debug"] = done(way(700));
    EXPECT_EQ(best_way(close), "update") << "not by a hair";
}

// xcli doctor recommends the way of few compute units (a mask) only if no other way takes a victim off the device,
// and only if the mask was seen to slow the victim.
TEST(Verdicts, FewComputeUnitsAreTheLastWay) {
    Evidence evidence = good();
    evidence.steps["way mask"] = done(mask(7.5));
    EXPECT_EQ(best_way(evidence), "debug");
    for (const char* name : {"way update", "way debug"})
        evidence.steps[name] = done({{"errno", 1}, {"error", "Operation not permitted"}});
    evidence.steps["stop 3"] = done(stop(1));  // what ran goes on
    EXPECT_EQ(best_way(evidence), "mask");
    expect(evidence, 3, Use::kUse, "falls from 20 ms");
    EXPECT_EQ(verdict(evidence, 3).environment.at("XSCHED_HIP_INTERRUPT"), "mask");
    evidence.steps["way mask"] = done(mask(1.1));
    EXPECT_EQ(best_way(evidence), "");
    expect(evidence, 3, Use::kDoNotUse, "mask: without effect: on 38 compute units a kernel takes as long as on all");
    evidence.steps["way mask"] = done({{"errno", 14}, {"error", "Bad address"}});
    expect(evidence, 3, Use::kDoNotUse, "mask: refused (Bad address)");
    evidence.steps.erase("way mask");
    EXPECT_EQ(best_way(evidence), "") << "nobody has seen it work";
}

TEST(Verdicts, AWayWithoutEffect) {
    Evidence evidence = good();
    evidence.steps["way debug"].found["stood"] = 1;
    EXPECT_EQ(best_way(evidence), "update");
    evidence.steps["way debug"].found["stood"] = 2;  // a round of a busy machine came too late
    EXPECT_EQ(best_way(evidence), "debug");
    EXPECT_NE(advice(evidence).at(0).find("in 2 of 3 rounds the kernel was stopped"), std::string::npos);
}

TEST(Verdicts, WhatWasNotRunIsNotProved) {
    Evidence evidence = good();
    evidence.steps.erase("job 2");
    expect(evidence, 2, Use::kNotTried, "\"job 2\" was not run");
    expect(evidence, 1, Use::kUse, "");
}

TEST(Verdicts, ARefusalOutranksWhatWasNotRun) {
    Evidence evidence = good();
    evidence.steps.erase("runtime");
    evidence.steps["stop 3"] = done(stop(1));
    expect(evidence, 3, Use::kDoNotUse, "is not taken off");
}

TEST(Verdicts, AHangIsNamedWithWhatHung) {
    Evidence evidence = good();
    evidence.steps["gate"] = {Ending::kHung, {}, "no answer for 8 s while waiting", 8, ""};
    expect(evidence, 1, Use::kUse, "");
    for (int level : {2, 3}) expect(evidence, level, Use::kDoNotUse, "\"gate\" hung: no answer for 8 s while waiting");
    evidence.steps["gate"].again = true;
    expect(evidence, 2, Use::kDoNotUse, "while waiting (the second try; the first was on a busy machine)");
}

TEST(Verdicts, AHangOnABusyMachineProvesNothing) {
    Evidence evidence = good();
    evidence.steps["gate"] = {Ending::kHung, {}, "no answer for 8 s while waiting", 8, ""};
    evidence.steps["gate"].again = true;
    evidence.steps["gate"].load = {.others = 0.7, .stolen = 0, .idle = 0.1};
    expect(evidence, 1, Use::kUse, "");
    for (int level : {2, 3}) expect(evidence, level, Use::kNoVerdict, "while waiting (twice); this machine was busy");
    evidence.steps["gate"].ending = Ending::kCrashed;
    expect(evidence, 2, Use::kDoNotUse, "\"gate\" crashed");

    evidence = good();
    for (const char* way : {"way update", "way debug", "way preempt", "way mask"}) {
        evidence.steps[way] = {Ending::kHung, {}, "no answer for 9 s", 9, ""};
        evidence.steps[way].again = true;
        evidence.steps[way].load = {.others = 0.7, .stolen = 0, .idle = 0.1};
    }
    expect(evidence, 3, Use::kNoVerdict, "is proved: update: ");
}

TEST(Verdicts, ALaunchThatIsNotSeenOrSeenTwice) {
    Evidence evidence = good();
    evidence.steps["routes"] = done({{"routes", {route("linked", 1), route("dlsym", 0)}}});
    for (int level = 1; level <= 3; ++level) expect(evidence, level, Use::kDoNotUse, "by the route dlsym is not seen");
    evidence.steps["routes"] = done({{"routes", {route("linked", 2)}}});
    expect(evidence, 1, Use::kDoNotUse, "is seen 2 times");
}

TEST(Verdicts, GatesOfAnotherProcess) {
    Evidence evidence = good();
    Json& gate = evidence.steps["gate"].found;
    gate["other_process"]["opened"] = false;
    expect(evidence, 2, Use::kDoNotUse, "does not see what another process stores");
    gate["other_process"]["opened"] = true;
    gate["other_process"]["open_ms"] = 400;
    expect(evidence, 2, Use::kDoNotUse, "only after 400 ms");
    gate["other_process"]["open_ms"] = 1;
    gate["report_seen"] = false;
    expect(evidence, 2, Use::kDoNotUse, "is not seen by the host");
}

TEST(Verdicts, WhatTheShimSaysOfALevelItLacks) {
    Evidence evidence = good();
    evidence.steps["stop 3"] = done(stop(1));
    evidence.steps["stop 3"].log = "[INFO @ T1 @ 00:00] no preempt level 3 for HIP: refused\nmore\n";
    expect(evidence, 3, Use::kDoNotUse, "(the shim says: no preempt level 3 for HIP: refused)");
}

TEST(Verdicts, KernelsInFlightThatStart) {
    Evidence evidence = good();
    evidence.steps["stop 2"] = done(stop(3));
    expect(evidence, 2, Use::kDoNotUse, "in flight still start");
    expect(evidence, 1, Use::kUse, "");
}

TEST(Verdicts, AQueueThatDoesNotStop) {
    Evidence evidence = good();
    evidence.steps["stop 1"].found["stands"] = false;
    expect(evidence, 1, Use::kDoNotUse, "does not stop");
}

TEST(Verdicts, WrongResults) {
    Evidence evidence = good();
    evidence.steps["job 3"].found["victim"]["exact"] = false;
    expect(evidence, 3, Use::kDoNotUse, "the result is wrong in the main job");
    evidence.steps["device"].found["exact"] = false;
    expect(evidence, 1, Use::kDoNotUse, "the result is wrong without XSched");
}

TEST(Verdicts, ALevelThatDoesNotHelp) {
    Evidence evidence = good();
    evidence.steps["job 1"] = done(job(40));
    expect(evidence, 1, Use::kDoNotUse, "it does not help here: the urgent program's p50 grows from 20 ms");
    evidence.steps["job native"] = done(job(1));
    evidence.steps["job 1"] = done(job(1.3));
    expect(evidence, 1, Use::kNothingToGain, "without making the urgent one wait");
    EXPECT_EQ(verdict(evidence, 1).environment.at("XSCHED_AUTO_XQUEUE_LEVEL"), "1") << "it works";
}

TEST(Verdicts, WithoutTheJobsToCompareWithNothingIsProved) {
    for (const char* name : {"job alone", "job native"}) {
        Evidence evidence = good();
        evidence.steps.erase(name);
        expect(evidence, 1, Use::kNotTried, std::string("\"") + name + "\" was not run");
    }
}

// Each staged measurement becomes its verdict, for every level.
TEST(Verdicts, EveryStagedSituation) {
    const std::map<std::string, Use> uses = {{"gain", Use::kUse},
                                             {"nothing to gain", Use::kNothingToGain},
                                             {"no gain", Use::kDoNotUse},
                                             {"no verdict", Use::kNoVerdict}};
    for (const Json& each : test::situations()) {
        Evidence evidence = good();
        constexpr double kNativeRate = 100;
        const Json load = each.value("load", Json::object());
        const auto job_of = [&](const Json& bursts, double rate) {
            ChildResult result =
                done({{"urgent", urgent_of(bursts)}, {"victim", {{"exact", true}, {"kernels_per_s", rate}}}});
            result.load = {load.value("others", 0.0), load.value("stolen", 0.0), load.value("idle", 1.0)};
            return result;
        };
        evidence.steps["job alone"] = done({{"urgent", urgent_of(each["alone"])}});
        evidence.steps["job native"] = job_of(each["native"], kNativeRate);
        for (int level = 1; level <= 3; ++level) {
            evidence.steps["job " + std::to_string(level)] =
                job_of(each["shared"], kNativeRate * each["kept"].get<double>());
            expect(evidence, level, uses.at(each["gain"]), each["says"].empty() ? "" : each["says"][0]);
            EXPECT_FALSE(HasFailure()) << each["name"];
        }
    }
}

struct Fault {
    const char* what;
    const char* step;
    ChildResult result;
    int level;
    const char* says;
};

// A fault decides, whatever the times of the main job are.
TEST(Verdicts, EveryStagedFault) {
    const Fault faults[] = {
        {"a gate that hangs", "gate", {Ending::kHung, {}, "no answer for 8 s", 8, ""}, 2, "hung: no answer for 8 s"},
        {"a kernel that crashes the runtime",
         "device",
         {Ending::kCrashed, {}, "ended by Segmentation fault", 1, ""},
         1,
         "crashed: ended by Segmentation fault"},
        {"a job that hangs at the level", "job 2", {Ending::kHung, {}, "no answer for 30 s", 30, ""}, 2, "hung"},
        {"a result that is wrong", "job 3", done({{"urgent", urgent(1)}, {"victim", {{"exact", false}}}}), 3,
         "the result is wrong in the main job"},
        {"a launch that is not seen", "routes", done({{"routes", {route("linked", 0)}}}), 1, "is not seen by the shim"},
        {"a victim that never goes on", "job 1", done(job(2, 0)), 1, "keeps 0 %"},
    };
    for (const Fault& fault : faults) {
        Evidence evidence = good();
        evidence.steps[fault.step] = fault.result;
        expect(evidence, fault.level, Use::kDoNotUse, fault.says);
        EXPECT_FALSE(HasFailure()) << fault.what;
    }
}

TEST(Verdicts, TheLikelyCauseOfADeviceThatDoesNotAnswer) {
    Evidence evidence = good();
    evidence.findings = {{"/dev/kfd", Answer::kNo, "Permission denied: add the user to the group render"}};
    expect(evidence, 1, Use::kUse, "");
    evidence.steps["device"] = {Ending::kFailed, {}, "no device", 1, ""};
    expect(evidence, 1, Use::kDoNotUse, "no device; the likely cause is /dev/kfd: Permission denied");
}

TEST(Verdicts, OpenclHasNoLevel3AndWithoutGuardsNoLevel2) {
    Evidence evidence = good("opencl");
    expect(evidence, 1, Use::kUse, "");
    expect(evidence, 2, Use::kUse, "");
    expect(evidence, 3, Use::kNone, "no way to take");
    evidence.opencl_guards = false;
    expect(evidence, 2, Use::kNone, "XSCHED_OPENCL_GUARDS=OFF");
}

TEST(Verdicts, CudaNeedsNoWays) {
    Evidence evidence = good("cuda");
    for (const char* name : {"runtime", "way update", "way debug", "way preempt"}) evidence.steps.erase(name);
    expect(evidence, 3, Use::kUse, "");
    EXPECT_EQ(verdict(evidence, 3).environment.count("XSCHED_HIP_INTERRUPT"), 0U);
}

TEST(Advice, SeveralRuntimesAndCallsThatWait) {
    Evidence evidence = good();
    evidence.steps["runtime"].found["libraries"] = {"a/libamdhip64.so.6", "b/libamdhip64.so.7"};
    evidence.steps["standing"] = done(
        {{"synchronize", {{"query_ms", 45.0}, {"record_ms", 1.0}}}, {"copy", {{"query_ms", 1.0}, {"record_ms", 1.0}}}});
    const std::vector<std::string> said = advice(evidence);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_NE(said[0].find("several HIP runtimes"), std::string::npos);
    EXPECT_NE(said[1].find("another thread's call waited for 45 ms"), std::string::npos);
}

TEST(Advice, PyTorchUnderTheShim) {
    Evidence evidence = good();
    evidence.steps["torch"] = {};  // not run
    EXPECT_TRUE(advice(evidence).empty());
    evidence.steps["torch"] = done({{"there", false}});
    EXPECT_TRUE(advice(evidence).empty());
    evidence.steps["torch"] = done({{"there", true}, {"torch", "2.9+rocm7"}, {"device", true}});
    EXPECT_TRUE(advice(evidence).empty());
    evidence.steps["torch"].found["device"] = false;
    EXPECT_EQ(advice(evidence).at(0), "PyTorch 2.9+rocm7 finds no device: is it a build for this GPU?");
    evidence.steps["torch"] = {Ending::kHung, {}, "no answer for 30 s while importing torch", 30, ""};
    EXPECT_NE(advice(evidence).at(0).find("under the shim: no answer for 30 s while importing torch"),
              std::string::npos);
    for (int level = 1; level <= 3; ++level) expect(evidence, level, Use::kUse, "");
}

TEST(Advice, WhatAVictimOnFewComputeUnitsLeavesOthers) {
    Evidence evidence = good();
    Json found = mask(7.5);
    found["beside"] = {
        {"alone", {{"p50_ms", 1.0}}}, {"all_units", {{"p50_ms", 2.1}}}, {"few_units", {{"p50_ms", 1.2}}}};
    evidence.steps["way mask"] = done(found);
    ASSERT_EQ(advice(evidence).size(), 1U);
    EXPECT_NE(advice(evidence)[0].find("take 1.2 ms beside it, 2.1 ms beside a victim with all units, 1 ms alone"),
              std::string::npos)
        << advice(evidence)[0];
}

TEST(Advice, WhatTheHardwaresPrioritiesAreWorth) {
    Evidence evidence = good();
    const auto said_of = [&](double lowest_ms) {
        evidence.steps["way priority"] =
            done({{"errno", 0},
                  {"beside",
                   {{"alone", {{"p50_ms", 1.0}}}, {"equal", {{"p50_ms", 2.1}}}, {"lowest", {{"p50_ms", lowest_ms}}}}}});
        return advice(evidence).at(0);
    };
    EXPECT_NE(said_of(1.2).find("priorities help: an urgent program's bursts take 1.2 ms beside a victim with the"),
              std::string::npos)
        << said_of(1.2);
    EXPECT_NE(said_of(2.0).find("priorities do not help here"), std::string::npos) << said_of(2.0);
    evidence.steps["way priority"] = done({{"errno", 1}, {"error", "Operation not permitted"}});
    EXPECT_EQ(advice(evidence).at(0),
              "the kernel driver refuses to change a queue's priority: Operation not permitted");
}

TEST(Advice, WhatStopsCostOthers) {
    Evidence evidence = good();
    evidence.steps["way debug"].found["other_program"] = {{"quiet", {{"p99_ms", 1.0}}},
                                                          {"disturbed", {{"p99_ms", 9.0}}}};
    ASSERT_EQ(advice(evidence).size(), 1U);
    EXPECT_NE(advice(evidence)[0].find("from 1 to 9 ms"), std::string::npos) << advice(evidence)[0];
}

}  // namespace
}  // namespace xsched::cli
