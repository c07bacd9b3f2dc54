// The work of recorded programs, as xcli admit takes it.
#include "sim/recorded_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/clock.h"
#include "sim/replay.h"
#include "sim/results.h"
#include "sim/workload_file.h"

namespace xsched::sim {
namespace {

// Records programs that nothing holds.
ipc::Recording recorded(const std::string& programs) {
    ipc::Recording recording;
    run_workload(parse_workload("duration_s = 4\n" + programs), "OBSERVE", false, nullptr, &recording);
    return recording;
}

constexpr const char* kServe =
    "[[program]]\nname = 'serve'\narrival = { kind = 'closed', think_ms = [20, 30] }\n"
    "burst = { kernels = 50, kernel_us = 100, sync_every = 10 }\n";

TEST(RecordedWork, TellsRequestsAndRests) {
    const std::vector<RecordedWork> all = recorded_work(recorded(kServe));
    ASSERT_EQ(all.size(), 1U);
    const RecordedWork& serve = all.front();
    EXPECT_EQ(serve.program, "serve");
    EXPECT_FALSE(serve.endless);
    EXPECT_NEAR(static_cast<double>(serve.requests), 4000.0 / 30, 10);
    constexpr size_t kMedian = 3;
    ASSERT_EQ(base::kWorkParts[kMedian], 0.5);
    EXPECT_NEAR(static_cast<double>(serve.request_us[kMedian]), 5000, 300);
    EXPECT_NEAR(static_cast<double>(serve.command_us[kMedian]), 100, 10);
    EXPECT_GE(serve.rest_us.front(), 19'000);
    EXPECT_LE(serve.rest_us.back(), 31'000);
    EXPECT_TRUE(std::is_sorted(serve.rest_us.begin(), serve.rest_us.end()));
}

// The work that a recording tells is the same again if it is simulated and recorded.
TEST(RecordedWork, ARequestIsDividedAsItWasRecorded) {
    const std::vector<RecordedWork> all = recorded_work(
        recorded("[[program]]\nname = 'serve'\narrival = { kind = 'closed', think_ms = 5 }\n"
                 "burst = { length_us = [3000, 5000], kernels = [3, 9], waits = [1, 3], pauses_us = [0, 900] }\n"));
    ASSERT_EQ(all.size(), 1U);
    const RecordedWork& serve = all.front();
    EXPECT_NEAR(static_cast<double>(serve.request_us[1]), 3200, 30);
    EXPECT_NEAR(static_cast<double>(serve.request_us.back()), 5000, 30);
    EXPECT_EQ(serve.burst_count[1], 1);
    EXPECT_EQ(serve.burst_count.back(), 3) << "the longest has the most";
    EXPECT_EQ(serve.pauses_us.front(), 0);
    EXPECT_NEAR(static_cast<double>(serve.pauses_us.back()), 900, 30);
}

TEST(RecordedWork, AProgramWithoutRestsIsEndless) {
    const std::vector<RecordedWork> all = recorded_work(
        recorded("[[program]]\nname = 'train'\narrival = { kind = 'stream' }\nburst = { kernel_us = 2000 }\n"));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(all.front().endless);
    EXPECT_EQ(all.front().command_us.back(), 2000);
}

// The request of 10 ms is held for 4 ms of them.
TEST(RecordedWork, TimeInWhichAQueueIsHeldIsNotItsWork) {
    ipc::Recording recording{.lasts_ns = 3 * base::kSecond};
    recording.queues.push_back({.client = 1, .program = "serve", .level = 3});
    const auto add = [&](int64_t at_ms, ipc::RecordedKind kind) {
        recording.changes.push_back({.at_ns = at_ms * base::kMillisecond, .kind = kind, .client = 1});
    };
    for (int64_t at_ms = 0; at_ms < 2500; at_ms += 100) {
        add(at_ms + 2, ipc::RecordedKind::kSuspended);
        add(at_ms + 50, ipc::RecordedKind::kReady);
        add(at_ms + 52, ipc::RecordedKind::kResumed);
        add(at_ms + 55, ipc::RecordedKind::kSuspended);
        add(at_ms + 57, ipc::RecordedKind::kResumed);
        add(at_ms + 60, ipc::RecordedKind::kIdle);
    }
    const std::vector<RecordedWork> all = recorded_work(recording);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().requests, 24U);
    EXPECT_EQ(all.front().request_us.front(), 6000);
    EXPECT_EQ(all.front().request_us.back(), 6000);
    EXPECT_EQ(all.front().took_us.front(), 10'000);
    EXPECT_EQ(all.front().rest_us.back(), 90'000);
    EXPECT_EQ(all.front().command_us, all.front().request_us) << "no lengths of commands were recorded";
}

// Bursts of 2 ms with one command each. The other program is suspended so long after their begin.
int64_t request_us_beside(int64_t suspended_after_us, int64_t command_us) {
    ipc::Recording recording{.lasts_ns = 3 * base::kSecond};
    recording.queues = {{.client = 1, .program = "serve", .level = 3}, {.client = 2, .program = "train", .level = 3}};
    uint64_t completed = 0;
    const auto add = [&](int64_t at_us, ipc::RecordedKind kind, uint32_t client) {
        recording.changes.push_back({.at_ns = at_us * base::kMicrosecond,
                                     .kind = kind,
                                     .client = client,
                                     .by_client = kind == ipc::RecordedKind::kSuspended ? 1U : 0U,
                                     .completed = completed,
                                     .command_ns = command_us * base::kMicrosecond});
    };
    for (int64_t at_us = 1000; at_us < 2'500'000; at_us += 100'000) {
        add(at_us, ipc::RecordedKind::kReady, 1);
        add(at_us + suspended_after_us, ipc::RecordedKind::kSuspended, 2);
        ++completed;
        add(at_us + 2000, ipc::RecordedKind::kIdle, 1);
        add(at_us + 2100, ipc::RecordedKind::kResumed, 2);
    }
    return recorded_work(recording).front().request_us[3];
}

TEST(RecordedWork, TheSwitchToAProgramIsNotItsWork) {
    const int64_t switch_us = DeviceCosts{}.switch_us / base::kMicrosecond;
    EXPECT_EQ(request_us_beside(5, 2000 - switch_us - 20), 2000 - switch_us);
    EXPECT_EQ(request_us_beside(5, 2000 - switch_us + 20), 2000 - switch_us + 20) << "its commands are its work";
    EXPECT_EQ(request_us_beside(5, 1980), 2000) << "the device was its own already";
    EXPECT_EQ(request_us_beside(-500, 2000 - switch_us - 20), 2000) << "the switch was over";
}

// A program that had work all the time, before and after, has this one entry; so may one that has just begun.
TEST(RecordedWork, WorkAtTheEndIsWorkAllTheTimeIfNothingElseWasSeen) {
    ipc::Recording recording{.lasts_ns = 3 * base::kSecond};
    for (const uint32_t client : {1U, 2U}) {
        recording.queues.push_back({.client = client, .program = client == 1 ? "train" : "begins", .level = 3});
        recording.changes.push_back({.at_ns = recording.lasts_ns,
                                     .kind = ipc::RecordedKind::kReady,
                                     .client = client,
                                     .command_ns = 2 * base::kMillisecond});
    }
    recording.changes.insert(recording.changes.begin(),
                             {.at_ns = 5 * base::kSecond / 2, .kind = ipc::RecordedKind::kReady, .client = 2});
    const std::vector<RecordedWork> all = recorded_work(recording);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().program, "train");
    EXPECT_TRUE(all.front().endless);
    EXPECT_EQ(all.front().command_us.back(), 2000);
    const Workload replayed = replay_workload(recording);
    EXPECT_EQ(replayed.programs[0].start_ns, 0);
    EXPECT_EQ(replayed.programs[0].burst.kernel_ns.least, 2 * base::kMillisecond);
    EXPECT_EQ(replayed.programs[1].start_ns, 5 * base::kSecond / 2);
}

TEST(RecordedWork, TooLittleIsLeftOut) {
    const std::vector<RecordedWork> all = recorded_work(recorded(
        std::string(kServe) +
        "[[program]]\nname = 'rare'\narrival = { kind = 'closed', think_ms = 900 }\nburst = { kernel_us = 100 }\n"));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front().program, "serve");
    EXPECT_THROW(recorded_work({}), std::runtime_error);
}

}  // namespace
}  // namespace xsched::sim
