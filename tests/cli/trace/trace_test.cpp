// Tests of xcli trace: how recorded changes become what Perfetto shows, and a trace of a real server in a file.
#include <atomic>
#include <random>
#include <thread>

#include "base/clock.h"
#include "cli/cli_rig.h"
#include "cli/trace/events.h"
#include "cli/trace/timeline.h"
#include "cli/trace/writer.h"
#include "support/perfetto.h"

namespace xsched::test {
namespace {

using cli::Line;
using cli::Phase;
using cli::Traced;
using cli::TracedChange;
using cli::TracedKind;

constexpr uint32_t kLow = 1;
constexpr uint32_t kHigh = 2;
constexpr int64_t kTraceMs = base::kMillisecond;

// Two programs with a queue each, of which the second is more urgent. Times in ms.
class Trace : public ::testing::Test {
protected:
    Trace() {
        traced.begin_ns = 100 * kTraceMs;
        traced.end_ns = 200 * kTraceMs;
        traced.programs = {{kLow, {.pid = 11, .name = "low", .platform = "cuda"}},
                           {kHigh, {.pid = 22, .name = "high", .platform = "cuda"}}};
        traced.devices = {{7, "GPU:7 (cuda)"}};
        traced.reasons = {{1, "chosen"}, {2, "makes room"}};
        traced.mechanisms = {{{"cuda", 1}, {"gate", "its gate"}},
                             {{"cuda", 3}, {"interrupt", "taken off"}},
                             {{"opencl", 1}, {"hold", "a hold"}}};
    }
    void change(int64_t at_ms, TracedKind kind, uint32_t client, bool work, bool suspended, uint32_t by = 0) {
        TracedChange one{.at_ns = at_ms * kTraceMs, .kind = kind, .client = client, .after = {}};
        one.after = {.has_work = work,
                     .suspended = suspended,
                     .followed = kind != TracedKind::kLeftAlone,
                     .cause = {.by_client = by, .reason = suspended ? 2U : 1U, .mechanism = suspended ? 1U : 0U}};
        one.priority = client == kHigh ? 10 : 0;
        traced.changes.push_back(one);
    }
    void here(uint32_t client) {
        traced.queues[{client, 0}] = {.handle = 0xab, .device = 7, .priority = client == kHigh ? 10 : 0, .state = {}};
    }
    // The main thing: low runs, high comes, low is held until high has ended.
    void main_thing() {
        here(kLow);
        here(kHigh);
        change(110, TracedKind::kReady, kLow, true, false);
        change(120, TracedKind::kReady, kHigh, true, false);
        change(121, TracedKind::kSuspended, kLow, true, true, kHigh);
        change(140, TracedKind::kIdle, kHigh, false, false);
        change(141, TracedKind::kResumed, kLow, true, false, kHigh);
        change(160, TracedKind::kIdle, kLow, false, false);
    }
    const Line& line(uint32_t client) {
        lines = cli::lines_of(traced);
        for (const Line& one : lines)
            if (one.client == client) return one;
        ADD_FAILURE() << "no line";
        return lines.emplace_back();
    }
    std::string phases(uint32_t client) {
        std::string text;
        for (const cli::Stretch& stretch : line(client).stretches) {
            constexpr const char* kWords[] = {"alone", "idle", "runs", "held"};
            text += (text.empty() ? "" : ", ") + std::string(kWords[static_cast<size_t>(stretch.phase)]) + " " +
                    std::to_string(stretch.from_ns / kTraceMs) + "-" + std::to_string(stretch.to_ns / kTraceMs);
        }
        return text;
    }
    DecodedTrace decoded() {
        cli::write_trace(directory / "trace", cli::trace_events(traced));
        DecodedTrace trace(directory / "trace");
        EXPECT_TRUE(trace.ordered);
        return trace;
    }

    Traced traced;
    std::vector<Line> lines;
    TemporaryDirectory directory;
};

TEST_F(Trace, AQueueIsOneThingAfterTheOther) {
    main_thing();
    EXPECT_EQ(phases(kLow), "idle 100-110, runs 110-121, held 121-141, runs 141-160, idle 160-200");
    EXPECT_EQ(phases(kHigh), "idle 100-120, runs 120-140, idle 140-200");
}

TEST_F(Trace, WhatWasBeforeIsKnownFromTheFirstChange) {
    change(150, TracedKind::kResumed, kLow, true, false, kHigh);
    change(150, TracedKind::kIdle, kHigh, false, false);
    EXPECT_EQ(phases(kLow), "held 100-150, runs 150-200");
    EXPECT_EQ(phases(kHigh), "runs 100-150, idle 150-200");
    EXPECT_EQ(line(kLow).stretches[0].cause.by_client, kHigh);
}

TEST_F(Trace, WhoDidNothingIsAsItIsAtTheEnd) {
    here(kLow);
    EXPECT_EQ(phases(kLow), "alone 100-200");
    traced.queues[{kLow, 0}].state = {.has_work = true, .suspended = true, .followed = true, .cause = {.by_client = 2}};
    EXPECT_EQ(phases(kLow), "held 100-200");
}

// Each change gives a queue's whole state, so the trace is right again after the first change behind a loss.
TEST_F(Trace, AfterALossTheNextChangeCounts) {
    change(110, TracedKind::kReady, kLow, true, false);
    change(150, TracedKind::kReady, kLow, true, true, kHigh);  // it was idle and suspended meanwhile
    EXPECT_EQ(phases(kLow), "idle 100-110, runs 110-150, held 150-200");
}

TEST_F(Trace, TimesNeverGoBack) {
    here(kLow);
    change(130, TracedKind::kSuspended, kLow, false, true, kHigh);
    change(120, TracedKind::kReady, kLow, true, true, kHigh);  // seen late
    change(90, TracedKind::kResumed, kLow, true, false, kHigh);
    EXPECT_EQ(phases(kLow), "idle 100-130, runs 130-200");
    decoded();
}

TEST_F(Trace, AQueueThatComesAndGoesHasALineEachTime) {
    for (int64_t at_ms : {110, 150}) {
        change(at_ms, TracedKind::kCame, kLow, false, false);
        traced.changes.back().completed = 7;
        change(at_ms + 10, TracedKind::kReady, kLow, true, false);
        change(at_ms + 20, TracedKind::kGone, kLow, true, false);
        traced.changes.back().completed = 7;
    }
    lines = cli::lines_of(traced);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].from_ns(), 110 * kTraceMs);
    EXPECT_EQ(lines[0].to_ns(), 130 * kTraceMs);
    EXPECT_EQ(lines[1].from_ns(), 150 * kTraceMs);
    EXPECT_EQ(lines[1].device, 7U);
    EXPECT_EQ(decoded().on("who runs").size(), 2U);
}

TEST_F(Trace, EachBurstIsItsOwnThoughNothingIsBetween) {
    here(kLow);
    change(110, TracedKind::kReady, kLow, true, false);
    change(120, TracedKind::kIdle, kLow, false, false);
    traced.changes.back().completed = 60;
    change(120, TracedKind::kReady, kLow, true, false);
    change(130, TracedKind::kIdle, kLow, false, false);
    const DecodedTrace trace = decoded();
    const auto bursts = trace.on("low/queue 1 on GPU:7 (cuda) (priority 0)", "burst");
    ASSERT_EQ(bursts.size(), 2U);
    EXPECT_EQ(bursts[0].said.at("commands"), "60");
    EXPECT_EQ(bursts[0].to, bursts[1].from);
}

TEST_F(Trace, TellsWhoHeldWhomAndHow) {
    main_thing();
    const DecodedTrace trace = decoded();
    EXPECT_EQ(trace.clocks, 3);
    const auto held = trace.on("low/queue 1 on GPU:7 (cuda) (priority 0)", "held");
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].name, "held behind high (22)");
    EXPECT_EQ(held[0].depth, 1U);  // in its burst
    EXPECT_EQ(held[0].said.at("behind"), "high (22)");
    EXPECT_EQ(held[0].said.at("behind_pid"), "22");
    EXPECT_EQ(held[0].said.at("reason"), "makes room");
    EXPECT_EQ(held[0].said.at("mechanism"), "gate");
    EXPECT_EQ(held[0].to - held[0].from, 20U * kTraceMs);
    const auto mark = trace.on("high/queue 1 on GPU:7 (cuda) (priority 10)", "holds low (11) queue 1");
    ASSERT_EQ(mark.size(), 1U);
    EXPECT_EQ(mark[0].flows, held[0].ended_flows);
    EXPECT_EQ(mark[0].from, held[0].from);
    EXPECT_EQ(trace.on("decisions", "suspend low (11) queue 1").size(), 1U);
    EXPECT_EQ(trace.on("decisions", "resume low (11) queue 1")[0].said.at("was_behind"), "high (22)");
    EXPECT_EQ(trace.on("queue 1 mechanism", "close gate").size(), 1U);
    EXPECT_EQ(trace.on("queue 1 mechanism", "open gate").size(), 1U);
    EXPECT_EQ(trace.on("low", "held").size(), 1U);
    EXPECT_EQ(trace.on("who runs", "high (22)").size(), 1U);
}

TEST_F(Trace, OpenClsMechanismIsAHold) {
    main_thing();
    traced.programs[kLow].platform = "opencl";
    const DecodedTrace trace = decoded();
    EXPECT_EQ(trace.on("low/queue 1 on GPU:7 (cuda) (priority 0)", "held")[0].said.at("mechanism"), "hold");
    EXPECT_EQ(trace.on("queue 1 mechanism", "hold commands").size(), 1U);
    EXPECT_EQ(trace.on("queue 1 mechanism", "open holds").size(), 1U);
    EXPECT_FALSE(trace.says("gate"));
}

TEST_F(Trace, TellsWhatWasAskedForMeanwhile) {
    main_thing();
    traced.orders[1] = {.at_ns = 50 * kTraceMs, .uid = 5, .text = "policy CFS"};
    traced.orders[2] = {.at_ns = 115 * kTraceMs, .uid = 5, .text = "policy HPF"};
    traced.changes.back().priority = 7;
    const DecodedTrace trace = decoded();
    ASSERT_EQ(trace.on("orders", "policy").size(), 1U) << "what was before it is not in it";
    EXPECT_EQ(trace.on("orders", "policy HPF")[0].said.at("uid"), "5");
    EXPECT_EQ(trace.on("orders", "queue 1: priority 0 becomes 7").size() +
                  trace.on("orders", "queue 1: priority 10 becomes 7").size(),
              0U)
        << "events begin with the program's name";
    const std::string name = traced.changes.back().client == kLow ? "low (11) queue 1: priority 0 becomes 7"
                                                                  : "high (22) queue 1: priority 10 becomes 7";
    EXPECT_EQ(trace.on("orders", name).size(), 1U);
}

TEST_F(Trace, AnArrowLeadsFromReadyToTheFirstRun) {
    here(kLow);
    change(110, TracedKind::kSuspended, kLow, false, true, kHigh);
    change(120, TracedKind::kReady, kLow, true, true, kHigh);
    change(150, TracedKind::kResumed, kLow, true, false, kHigh);
    const DecodedTrace trace = decoded();
    const std::string queue = "low/queue 1 on GPU:7 (cuda) (priority 0)";
    ASSERT_EQ(trace.on(queue, "burst").size(), 1U);
    ASSERT_EQ(trace.on(queue, "runs").size(), 1U);
    EXPECT_EQ(trace.on(queue, "burst")[0].flows, trace.on(queue, "runs")[0].ended_flows);
    EXPECT_EQ(trace.on(queue, "burst")[0].flows.size(), 1U);
}

TEST_F(Trace, CallsOfLevelThreeAreSlices) {
    main_thing();
    traced.changes.insert(traced.changes.begin() + 3, traced.changes[2]);
    traced.changes[3].kind = TracedKind::kDirected;
    traced.changes[3].completed = uint64_t{1} << 32 | 50;
    traced.changes.insert(traced.changes.begin() + 4, traced.changes[3]);
    traced.changes[4].kind = TracedKind::kTakenOff;
    traced.changes[4].at_ns = 125 * kTraceMs;
    const DecodedTrace trace = decoded();
    const auto off = trace.on("queue 1 mechanism", "take off the device");
    ASSERT_EQ(off.size(), 1U);
    EXPECT_EQ(off[0].to - off[0].from, 4U * kTraceMs);
    EXPECT_EQ(trace.on("queue 1 mechanism", "timeslice 50 us").size(), 1U);
}

TEST_F(Trace, AnothersProgramHasNoName) {
    here(kLow);
    change(110, TracedKind::kReady, kLow, true, false);
    change(120, TracedKind::kSuspended, kLow, true, true, cli::kAnotherUsers);
    const DecodedTrace trace = decoded();
    EXPECT_EQ(trace.on("low", "held")[0].name, "held behind another user's program");
    EXPECT_FALSE(trace.says("4294967295"));
}

// Any changes in any order make a trace that is well formed: what DecodedTrace checks.
TEST_F(Trace, NoChangesMakeABadTrace) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        traced.changes.clear();
        traced.queues.clear();
        if (random() % 2 == 0) here(kLow);
        for (int i = 0; i < 40; ++i) {
            change(90 + static_cast<int64_t>(random() % 120), static_cast<TracedKind>(random() % 12),
                   1 + static_cast<uint32_t>(random() % 3), random() % 2 == 0, random() % 2 == 0,
                   static_cast<uint32_t>(random() % 4));
            traced.changes.back().completed = random() % 3 == 0 ? 7 : random();
        }
        for (const Line& one : cli::lines_of(traced)) {
            ASSERT_FALSE(one.stretches.empty());
            for (size_t i = 0; i < one.stretches.size(); ++i) {
                ASSERT_LT(one.stretches[i].from_ns, one.stretches[i].to_ns);
                ASSERT_EQ(one.stretches[i].from_ns, i > 0 ? one.stretches[i - 1].to_ns : one.from_ns());
            }
        }
        decoded();
        ASSERT_FALSE(HasFailure()) << "round " << round;
    }
}

class TraceOfAServer : public WithCli {
protected:
    void begin() {
        start();
        both = std::make_unique<LowAndHigh>(socket());
        ASSERT_TRUE(both->connected());
    }
    void hold_once() {
        ASSERT_TRUE(both->compete());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        both->high.complete(0);
        ASSERT_TRUE(both->low.becomes_suspended(0, false));
        both->low.complete(0);
    }
    void expect_held(const std::string& path) {
        const DecodedTrace trace(path);
        EXPECT_TRUE(trace.ordered);
        const std::string pid = std::to_string(getpid());
        const auto held =
            trace.on("low/queue 1 on device 0, CPU:1 (opencl) (priority 0)", "held behind high (" + pid + ")");
        const auto runs = trace.on("high/queue 1 on device 0, CPU:1 (opencl) (priority 10)", "runs");
        ASSERT_FALSE(held.empty());
        ASSERT_FALSE(runs.empty());
        EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [&](const DecodedEvent& run) {
            return run.from < held[0].to && held[0].from < run.to;
        })) << "held while high runs";
        const auto longest = std::max_element(held.begin(), held.end(), [](const auto& one, const auto& other) {
            return one.to - one.from < other.to - other.from;
        });
        EXPECT_GE(longest->to - longest->from, 20U * kTraceMs);
        EXPECT_EQ(longest->said.at("mechanism"), "hold");
        EXPECT_EQ(longest->ended_flows.size(), 1U);
        EXPECT_FALSE(trace.on("decisions", "suspend low").empty());
        int64_t processes = 0;
        for (const auto& [id, track] : trace.tracks) processes += track.pid == getpid() ? 1 : 0;
        EXPECT_EQ(processes, 2);
    }
    std::unique_ptr<LowAndHigh> both;
};

TEST_F(TraceOfAServer, SaysWhatPeopleSaid) {
    begin();
    ASSERT_EQ(xcli({"hint", "-x", "0x1", "-p", "3"}).status, 0);
    hold_once();
    ASSERT_EQ(xcli({"policy", "CFS"}).status, 0);
    const std::string path = directory / "orders.pftrace";
    ASSERT_EQ(xcli({"trace", "--last", "-o", path}).status, 0);
    const DecodedTrace trace(path);
    EXPECT_EQ(trace.on("orders", "policy CFS").size(), 1U);
    EXPECT_EQ(trace.on("orders", "hints {").size(), 1U);
}

// Kills the server while a trace is being recorded. If the recording had not begun by then, xcli says so, and the
// test tries again.
TEST_F(TraceOfAServer, IsWrittenAlsoIfTheServerIsKilledMeanwhile) {
    const std::string path = directory / "cut.pftrace";
    std::string said;
    for (int attempt = 1; attempt <= 20 && !has(said, "it ends early: the xserver at "); ++attempt) {
        begin();
        Process process({binary("xcli"), "trace", "-t", "60s", "-o", path}, directory.environment());
        ASSERT_TRUE(eventually([&] { return access(path.c_str(), F_OK) == 0; }));
        hold_once();
        std::this_thread::sleep_for(std::chrono::milliseconds(100 * attempt));
        server->stop(SIGKILL);
        const int status = process.wait();
        EXPECT_TRUE(status == 0 || status == 3) << process.err();
        said = process.out();
    }
    EXPECT_TRUE(has(said, "it ends early: the xserver at ")) << said;
    EXPECT_TRUE(DecodedTrace(path).ordered);
}

TEST_F(TraceOfAServer, TheLastWhileAfterItHappened) {
    begin();
    hold_once();
    const std::string path = directory / "last.pftrace";
    const Outcome outcome = xcli({"trace", "--last", "-o", path});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(has(outcome.out, "30.0 s traced")) << "the server is younger: " << outcome.out;
    EXPECT_TRUE(has(outcome.out, "the server has not been there for longer")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "of 2 programs")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "https://ui.perfetto.dev")) << outcome.out;
    expect_held(path);
    const Outcome json = xcli({"trace", "--last", "5s", "--json", "-o", path});
    EXPECT_LE(json.json()["seconds"], 5.0) << json.out;
    EXPECT_EQ(json.json()["programs"], 2);
    EXPECT_EQ(json.json()["complete"], true);
    expect_held(path);
}

TEST_F(TraceOfAServer, WhatHappensFromNowOn) {
    begin();
    std::atomic<bool> stop{false};
    std::thread work([&] {
        while (!stop) hold_once();
    });
    const std::string path = directory / "live.pftrace";
    const Outcome outcome = xcli({"trace", "-t", "500ms", "-o", path});
    stop = true;
    work.join();
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_held(path);
}

TEST_F(TraceOfAServer, ErrorsAreSentences) {
    const std::string path = directory / "x.pftrace";
    expect_sentence({"trace", "-o", path}, "no xserver answers", 3);
    start();
    expect_sentence({"trace", "--last", "-o", path}, "no program was scheduled", 4);
    EXPECT_NE(access(path.c_str(), F_OK), 0) << "nothing is left of it";
    expect_sentence({"trace", "-t", "0s", "-o", path}, "no time to trace");
    expect_sentence({"trace", "-t", "0.0001us", "-o", path}, "no time to trace");
    expect_sentence({"trace", "--last", "x", "-o", path}, "no time to look back");
    expect_sentence({"trace", "-t", "1s", "-o", "/no/such/place"}, "/no/such/place cannot be written", 1);
    expect_sentence({"trace", "-t", "1s"}, "--out");
    expect_sentence({"trace", "-t", "1s", "--last", "2s", "-o", path}, "--last");
}

}  // namespace
}  // namespace xsched::test
