// A program's work as its run has shown it.
#include "server/program_work.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::server {
namespace {

constexpr int64_t kMs = base::kMillisecond;

void work(dispatch::QueueRecord& record, int requests, int64_t length_ns) {
    dispatch::QueueLengths& lengths = record.make_lengths();
    for (int i = 0; i < requests; ++i) {
        lengths.requests.add(length_ns);
        lengths.rests.add(10 * kMs);
        lengths.burst_counts.add(3 * base::kMicrosecond);
        lengths.pauses.add(kMs / 2);
        lengths.commands.add(kMs / 10, 20);
    }
    record.running_ns.store(requests * length_ns);
    record.followed_ns.store(requests * length_ns);
}

TEST(ProgramWork, IsThatOfTheBusiestQueue) {
    dispatch::ClientRecord client;
    EXPECT_FALSE(shown_work(client).known());
    work(client.make(0), 30, 2 * kMs);
    work(client.make(3), 40, 8 * kMs);
    const ProgramWork shown = shown_work(client);
    EXPECT_EQ(shown.requests, 40U);
    EXPECT_FALSE(shown.endless);
    EXPECT_NEAR(shown.request_us[3], 8000, 500);
    EXPECT_NEAR(shown.rest_us[7], 10000, 700);
    EXPECT_NEAR(shown.command_us[0], 100, 7);
    EXPECT_EQ(shown.burst_count[3], 3U);
    EXPECT_NEAR(shown.pauses_us[3], 500, 35);
    EXPECT_EQ(read_work(work_json(shown)), shown);
}

TEST(ProgramWork, FewRequestsSayTooLittle) {
    dispatch::ClientRecord client;
    work(client.make(0), 19, 2 * kMs);
    EXPECT_FALSE(shown_work(client).known());
    EXPECT_TRUE(work_json(shown_work(client)).is_null());
    const auto worked = [&client](int64_t ns) {
        client.make(0).running_ns.store(ns);
        client.make(0).followed_ns.store(ns);
        return shown_work(client);
    };
    EXPECT_FALSE(worked(2 * base::kSecond).known()) << "a run of a few requests";
    EXPECT_TRUE(worked(20 * base::kSecond).endless) << "a second for each request, as far as seen";
    EXPECT_FALSE(shown_work(client).assumed);
}

TEST(ProgramWork, AProgramThatWasNotFollowedIsOnlyAssumedToHaveNoRests) {
    dispatch::ClientRecord client;
    work(client.make(0), 5, 2 * kMs);
    client.make(0).running_ns.store(20 * base::kSecond);
    const ProgramWork shown = shown_work(client);
    EXPECT_FALSE(shown.known()) << "nothing to keep";
    EXPECT_TRUE(shown.endless && shown.assumed);
    EXPECT_NEAR(shown.command_us[0], 100, 7);
    EXPECT_TRUE(work_json(shown)["assumed"]);
}

TEST(ProgramWork, AnEarlierVersionKeptNoBurstsOfRequests) {
    dispatch::ClientRecord client;
    work(client.make(0), 30, 2 * kMs);
    nlohmann::json kept = work_json(shown_work(client));
    kept.erase("burst_count");
    EXPECT_EQ(read_work(kept).requests, 30U);
    EXPECT_EQ(read_work(kept).burst_count, ProgramWork::Quantiles{}) << "not known";
    EXPECT_EQ(read_work(kept).pauses_us, ProgramWork::Quantiles{});
}

TEST(ProgramWork, NonsenseIsNotKnown) {
    nlohmann::json kept = work_json({.requests = 30});
    EXPECT_TRUE(read_work(kept).known());
    kept["rest_us"][3] = "x";
    EXPECT_FALSE(read_work(kept).known());
    EXPECT_FALSE(read_work(nullptr).known());
    EXPECT_FALSE(read_work({{"requests", -1}}).known());
}

TEST(ProgramWork, PunctualityIsOfAllQueues) {
    dispatch::ClientRecord client;
    client.make(0).targeted.store(90);
    client.make(20).targeted.store(10);
    client.make(20).late.store(1);
    EXPECT_EQ(punctuality_of(client).requests, 100U);
    EXPECT_TRUE(punctuality_of(client).keeps());
    client.make(0).late.store(1);
    EXPECT_FALSE(punctuality_of(client).keeps()) << "2 of 100 are late";
}

}  // namespace
}  // namespace xsched::server
