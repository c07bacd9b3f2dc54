// Tests that a simulated run, recorded and replayed as a workload, has about the same results.
#include "sim/replay.h"

#include <gtest/gtest.h>

#include "sim/pattern.h"
#include "sim/results.h"

namespace xsched::sim {
namespace {

TEST(Replay, BringsTheWorkThatWasSeen) {
    const Workload workload = testing::main_job("", 0.3, 2);
    ipc::Recording recording;
    const Report original = run_workload(workload, "HPF", false, nullptr, &recording);
    ASSERT_EQ(recording.queues.size(), 2U);
    EXPECT_EQ(recording.lost, 0U);
    const Workload replayed = replay_workload(ipc::read_recording(ipc::write_recording(recording)));
    EXPECT_EQ(replayed.recorded_policy, "HPF");
    ASSERT_EQ(replayed.programs.size(), 2U);
    EXPECT_EQ(replayed.programs[0].hints.priority, 1);
    EXPECT_EQ(replayed.programs[1].arrival.kind, ArrivalKind::kStream);
    const Report again = run_workload(replayed, "HPF", false);
    EXPECT_NEAR(static_cast<double>(again.programs[0].bursts), static_cast<double>(original.programs[0].bursts), 2);
    EXPECT_NEAR(again.programs[0].latency.p50_us(), original.programs[0].latency.p50_us(), 30);
    EXPECT_NEAR(again.programs[1].kernels_per_s, original.programs[1].kernels_per_s, 60);
}

// A program that warms up, and then trains until the recording's end.
TEST(Replay, ABurstThatLastsOnHasWorkToTheEnd) {
    ipc::Recording recording{.lasts_ns = 2'000'000'000};
    recording.queues.push_back({.client = 1, .program = "trains", .level = 3});
    const auto add = [&](int64_t at_ms, ipc::RecordedKind kind, uint64_t completed) {
        recording.changes.push_back(
            {.at_ns = at_ms * 1'000'000, .kind = kind, .client = 1, .completed = completed, .command_ns = 1'000'000});
    };
    add(10, ipc::RecordedKind::kReady, 0);
    add(15, ipc::RecordedKind::kIdle, 5);
    add(500, ipc::RecordedKind::kReady, 5);
    const Report report = run_workload(replay_workload(recording), "HPF", false);
    EXPECT_NEAR(report.programs[0].share, 0.75, 0.02);
}

// A stream that the program only waits on and records is held with the others.
TEST(Replay, AQueueThatWasOnlyHeldDidNothing) {
    ipc::Recording recording{.lasts_ns = 2'000'000'000};
    recording.queues.push_back({.client = 1, .program = "trains", .level = 3});
    recording.queues.push_back({.client = 1, .slot = 1, .program = "trains", .level = 3});
    recording.changes.push_back({.kind = ipc::RecordedKind::kReady, .client = 1, .command_ns = 1'000'000});
    for (const auto kind : {ipc::RecordedKind::kSuspended, ipc::RecordedKind::kResumed})
        recording.changes.push_back({.at_ns = 1'000'000, .kind = kind, .client = 1, .slot = 1});
    const Workload replayed = replay_workload(recording);
    ASSERT_EQ(replayed.programs.size(), 1U);
    EXPECT_EQ(replayed.programs[0].name, "trains") << "one queue needs no number";
}

TEST(Replay, ProgramsHaveTheirOwnNames) {
    ipc::Recording recording{.lasts_ns = 2'000'000'000};
    const auto add = [&recording](uint32_t client, uint32_t slot, int32_t pid, const char* program, bool works) {
        recording.queues.push_back({.client = client, .slot = slot, .pid = pid, .program = program, .level = 3});
        if (works) recording.changes.push_back({.kind = ipc::RecordedKind::kReady, .client = client, .slot = slot});
    };
    add(1, 0, 40, "serve", true);
    add(1, 1, 40, "serve", false);
    add(2, 0, 41, "train", true);
    add(3, 4, 42, "train", true);
    add(4, 4, 42, "train", true);
    EXPECT_EQ(replay_names(recording),
              (std::vector<std::string>{"serve", "", "train 41.1", "train 42.5", "train 42.5 2"}));
    EXPECT_EQ(replay_workload(recording).programs[1].name, "train 41.1");
    EXPECT_TRUE(programs_left_out(recording).empty()) << "one of serve's queues worked";
    add(5, 0, 50, "alone", false);
    EXPECT_EQ(programs_left_out(recording), std::set<std::string>{"alone"});
}

TEST(Replay, ARecordingWithoutWorkIsRefused) {
    EXPECT_THROW(replay_workload({}), std::runtime_error);
    ipc::Recording recording;
    recording.queues.push_back({.client = 1, .program = "idle"});
    EXPECT_THROW(replay_workload(recording), std::runtime_error);
}

}  // namespace
}  // namespace xsched::sim
