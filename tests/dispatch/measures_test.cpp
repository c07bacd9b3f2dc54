// The dispatcher's counts for tools: bursts, commands, holds by cause and mechanism.
#include <gtest/gtest.h>

#include <vector>

#include "dispatch/fake_client.h"
#include "dispatch/hold_tracker.h"

namespace xsched::dispatch {
namespace {

using namespace testing;
using base::HistogramBuckets;

class Measures : public ::testing::Test {
protected:
    Measures() : low(1, 11), high(2, 12), dispatcher(hpf_core()) {
        low.make_queue(0, 0);
        high.make_queue(0, 5);
        for (FakeClient* client : {&low, &high}) {
            ClientView view = client->view();
            view.record = client == &low ? low_record : high_record;
            view.holds = &log;
            dispatcher.add_client(view);
        }
        dispatcher.pass(kStart);
    }
    std::vector<HoldPart> parts() {
        std::vector<HoldPart> all;
        uint64_t lost = 0;
        log.read(0, 1000, lost, [&all](const HoldPart& part) { all.push_back(part); });
        return all;
    }
    // Gives the urgent program work from `begin_ms` to `end_ms` after the start; the low program has work all the time.
    void urgent_burst(int64_t begin_ms, int64_t end_ms) {
        high.submit(0, kStart + begin_ms * kMs);
        dispatcher.pass(kStart + begin_ms * kMs);
        high.complete(0, kStart + end_ms * kMs);
        dispatcher.pass(kStart + end_ms * kMs);
        dispatcher.pass(kStart + (end_ms + 3) * kMs);  // anticipation is over
    }
    const QueueLengths& lengths(const ClientRecord& record) { return *record.find(0)->lengths(); }

    FakeClient low, high;
    std::shared_ptr<ClientRecord> low_record = std::make_shared<ClientRecord>();
    std::shared_ptr<ClientRecord> high_record = std::make_shared<ClientRecord>();
    HoldLog log;
    Dispatcher dispatcher;
};

TEST_F(Measures, BurstsAreFromWorkToNoWork) {
    for (const int64_t begin_ms : {1, 10, 20}) urgent_burst(begin_ms, begin_ms + 2);
    const base::HistogramCounts bursts = lengths(*high_record).bursts.read();
    EXPECT_EQ(bursts.count(), 3U);
    EXPECT_EQ(bursts.sum_ns, static_cast<uint64_t>(6 * kMs));
    EXPECT_EQ(bursts.quantile(1), HistogramBuckets::middle(HistogramBuckets::of(2 * kMs)));
}

TEST_F(Measures, ARequestCountsItsBursts) {
    high.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    high.complete(0, kStart + 2 * kMs);
    high.submit(0, kStart + 2 * kMs + kMs / 2);
    dispatcher.pass(kStart + 3 * kMs);
    high.complete(0, kStart + 4 * kMs);
    dispatcher.pass(kStart + 5 * kMs);
    urgent_burst(20, 22);
    EXPECT_EQ(lengths(*high_record).requests.read().count(), 1U);
    EXPECT_EQ(lengths(*high_record).burst_counts.read().sum_ns, static_cast<uint64_t>(2 * base::kMicrosecond));
    EXPECT_EQ(lengths(*high_record).pauses.read().sum_ns, static_cast<uint64_t>(kMs / 2));
}

TEST_F(Measures, TheTimeHeldIsThatOfItsOwnRequest) {
    low.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    urgent_burst(2, 5);
    low.complete(0, kStart + 10 * kMs);
    dispatcher.pass(kStart + 10 * kMs);
    for (const int64_t begin_ms : {20, 30}) {
        low.submit(0, kStart + begin_ms * kMs);
        dispatcher.pass(kStart + begin_ms * kMs);
        low.complete(0, kStart + (begin_ms + 4) * kMs);
        dispatcher.pass(kStart + (begin_ms + 4) * kMs);
    }
    const base::HistogramCounts requests = lengths(*low_record).requests.read();
    EXPECT_EQ(requests.count(), 2U);
    EXPECT_EQ(requests.quantile(1), HistogramBuckets::middle(HistogramBuckets::of(4 * kMs)));
}

TEST_F(Measures, BurstsBetweenTwoLooksCountToo) {
    high.submit(0, kStart + kMs);
    high.complete(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 3 * kMs);
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 1U) << "all of it";
    high.submit(0, kStart + 4 * kMs);
    dispatcher.pass(kStart + 4 * kMs);
    high.complete(0, kStart + 5 * kMs);
    high.submit(0, kStart + 6 * kMs);
    dispatcher.pass(kStart + 7 * kMs);
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 2U) << "the end of one and the begin of the next";
    dispatcher.pass(kStart + 8 * kMs);
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 2U) << "nothing new";
}

// A program that is alone is not followed, and looked at rarely: the begin of one burst and the end of a later one
// would make a burst that never was.
TEST_F(Measures, BurstsOfAProgramThatIsNotFollowedDoNotCount) {
    dispatcher.remove_client(1);
    dispatcher.pass(kStart + kMs);
    high.submit(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 3 * kMs);
    high.complete(0, kStart + 4 * kMs);
    high.submit(0, kStart + 5 * kMs);
    high.complete(0, kStart + 999 * kMs);
    dispatcher.pass(kStart + 1000 * kMs);
    const QueueRecord* record = high_record->find(0);
    ASSERT_TRUE(record != nullptr && record->lengths() != nullptr);
    EXPECT_EQ(record->lengths()->bursts.read().count(), 0U);
}

// A program that was alone has had several bursts between two looks when a rival comes.
class FollowedLate : public Measures {
protected:
    FollowedLate() {
        dispatcher.remove_client(1);
        high.submit(0, kStart + 2 * kMs);
        dispatcher.pass(kStart + 3 * kMs);
        high.complete(0, kStart + 100 * kMs);
        high.submit(0, kStart + 200 * kMs);
        high.complete(0, kStart + 2900 * kMs);
        high.submit(0, kStart + 2950 * kMs);
        rival.make_queue(0, 0);
        dispatcher.add_client(rival.view());
        rival.submit(0, kStart + 3000 * kMs);
        dispatcher.pass(kStart + 3000 * kMs, {});
        EXPECT_EQ(high.header().watching, 1U);
    }
    FakeClient rival{3, 13};
};

TEST_F(FollowedLate, TheBurstInWhichFollowingBeginsDoesNotCount) {
    high.complete(0, kStart + 3010 * kMs);
    dispatcher.pass(kStart + 3010 * kMs);
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 0U);
    for (const int64_t begin_ms : {3040, 3080}) urgent_burst(begin_ms, begin_ms + 4);
    const base::HistogramCounts bursts = lengths(*high_record).bursts.read();
    EXPECT_EQ(bursts.count(), 2U);
    EXPECT_EQ(bursts.sum_ns, static_cast<uint64_t>(8 * kMs));
    EXPECT_EQ(lengths(*high_record).requests.read().count(), 1U);
    EXPECT_EQ(lengths(*high_record).rests.read().count(), 0U) << "nothing is known of the time before";
}

TEST_F(FollowedLate, WorkCountsSinceFollowingBegan) {
    const QueueRecord& record = *high_record->find(0);
    EXPECT_EQ(record.followed_ns.load(), 0);
    high.complete(0, kStart + 3010 * kMs);
    dispatcher.pass(kStart + 3010 * kMs);
    EXPECT_EQ(record.followed_ns.load(), 10 * kMs);
    dispatcher.remove_client(3);
    dispatcher.pass(kStart + 3020 * kMs);
    high.submit(0, kStart + 3030 * kMs);
    dispatcher.pass(kStart + 3040 * kMs);
    EXPECT_EQ(record.followed_ns.load(), 10 * kMs);
    dispatcher.add_client(rival.view());
    dispatcher.pass(kStart + 4000 * kMs, {});
    EXPECT_EQ(record.followed_ns.load(), 0) << "what was seen of several times says nothing of rests between them";
}

// A program that makes a queue for each burst.
TEST_F(Measures, TheFirstBurstOfANewQueueCounts) {
    high.make_queue(1, 5);
    high.submit(1, kStart + kMs);
    dispatcher.pass(kStart + 2 * kMs);
    high.complete(1, kStart + 4 * kMs);
    dispatcher.pass(kStart + 4 * kMs);
    EXPECT_EQ(high_record->find(1)->lengths()->bursts.read().sum_ns, static_cast<uint64_t>(3 * kMs));
}

// Following ends within a burst, and begins again within a later one.
TEST_F(FollowedLate, TheBurstInWhichFollowingEndsDoesNotCount) {
    high.complete(0, kStart + 3010 * kMs);
    dispatcher.pass(kStart + 3010 * kMs);
    urgent_burst(3040, 3044);
    high.submit(0, kStart + 3080 * kMs);
    dispatcher.pass(kStart + 3080 * kMs);
    dispatcher.remove_client(3);
    dispatcher.pass(kStart + 3081 * kMs);
    EXPECT_EQ(high.header().watching, 0U);
    high.complete(0, kStart + 3090 * kMs);
    high.submit(0, kStart + 3095 * kMs);
    high.complete(0, kStart + 5000 * kMs);
    dispatcher.add_client(rival.view());
    dispatcher.pass(kStart + 5005 * kMs, {});
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 1U);
    for (const int64_t begin_ms : {5040, 5080}) urgent_burst(begin_ms, begin_ms + 4);
    EXPECT_EQ(lengths(*high_record).bursts.read().count(), 3U);
    EXPECT_EQ(lengths(*high_record).bursts.read().sum_ns, static_cast<uint64_t>(12 * kMs));
    EXPECT_EQ(lengths(*high_record).rests.read().count(), 0U);
}

TEST_F(Measures, TimesOfAHostileProgramAreNotBelieved) {
    low.submit(0, kStart + 500 * kMs);  // in the future
    dispatcher.pass(kStart + kMs);
    low.complete(0, INT64_MIN);
    dispatcher.pass(kStart + 2 * kMs);
    low.slot(0).idle_since_ns = INT64_MAX;
    low.slot(0).ready_since_ns = -5;
    dispatcher.pass(kStart + 3 * kMs);
    const base::HistogramCounts bursts = lengths(*low_record).bursts.read();
    EXPECT_LE(bursts.sum_ns, static_cast<uint64_t>(3 * kMs));
}

TEST_F(Measures, CommandsAreTheMeanBetweenTwoLooks) {
    low.submit(0, kStart + kMs, 10);
    dispatcher.pass(kStart + kMs);
    low.slot(0).completed = 4;
    low.slot(0).busy_ns = 8 * kMs;
    dispatcher.pass(kStart + 9 * kMs);
    const base::HistogramCounts commands = lengths(*low_record).commands.read();
    EXPECT_EQ(commands.count(), 4U);
    EXPECT_EQ(commands.sum_ns, static_cast<uint64_t>(8 * kMs));
    dispatcher.pass(kStart + 10 * kMs);
    EXPECT_EQ(lengths(*low_record).commands.read().count(), 4U);
}

TEST_F(Measures, AHoldIsToldWithItsCause) {
    low.slot(0).level = kPreemptLevelBlock;
    low.submit(0, kStart + kMs, 3);
    dispatcher.pass(kStart + kMs);
    urgent_burst(10, 12);
    const std::vector<HoldPart> told = parts();
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0].client, 1U);
    EXPECT_EQ(told[0].cause.by_client, 2U);
    EXPECT_EQ(told[0].cause.by_pid, 12);
    EXPECT_EQ(told[0].cause.reason, sched::Reason::kLessUrgent);
    EXPECT_EQ(told[0].cause.mechanism, sched::Mechanism::kGate);
    int64_t ns = 0;
    for (const HoldPart& part : told) {
        EXPECT_EQ(part.cause.by_client, 2U);
        EXPECT_TRUE(part.last);
        ns += part.ns;
    }
    EXPECT_EQ(ns, low_record->find(0)->delayed_ns.load()) << "as much as its delay says";
    EXPECT_GE(ns, 2 * kMs);
    EXPECT_EQ(lengths(*low_record).holds.read().count(), told.size());
    EXPECT_EQ(lengths(*low_record).holds.read().sum_ns, static_cast<uint64_t>(ns));
    EXPECT_GE(low_record->find(0)->preempted_by[static_cast<size_t>(sched::Mechanism::kGate)].load(), 1U);
    const KeptOff& kept_off = low_record->find(0)->kept_off;
    EXPECT_EQ(kept_off.mechanism.load(), static_cast<uint32_t>(sched::Mechanism::kGate)) << "known after it as well";
    EXPECT_EQ(kept_off.candidates[0].mechanism.load(), static_cast<uint32_t>(sched::Mechanism::kGate));
    EXPECT_GT(kept_off.candidates[0].urgent_us.load(), 0U);
    EXPECT_EQ(kept_off.candidates[1].mechanism.load(), static_cast<uint32_t>(sched::Mechanism::kNone));
    EXPECT_EQ(high_record->find(0)->kept_off.mechanism.load(), static_cast<uint32_t>(sched::Mechanism::kNone));
    EXPECT_EQ(lengths(*high_record).holds.read().count(), 0U);
}

TEST_F(Measures, AHoldThatLastsIsToldInParts) {
    low.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    ASSERT_TRUE(dispatcher.set_suspended_by_person(1, 0, true));
    int64_t now = kStart + 10 * kMs;
    for (; now <= kStart + 1010 * kMs; now += 20 * kMs) dispatcher.pass(now);
    ASSERT_TRUE(dispatcher.set_suspended_by_person(1, 0, false));
    dispatcher.pass(now);
    const std::vector<HoldPart> told = parts();
    ASSERT_GE(told.size(), 9U);
    ASSERT_LE(told.size(), 12U);
    int64_t ns = 0;
    for (size_t i = 0; i < told.size(); ++i) {
        ns += told[i].ns;
        EXPECT_EQ(told[i].hold_ns, ns);
        EXPECT_EQ(told[i].cause.reason, sched::Reason::kHeld);
        EXPECT_EQ(told[i].cause.by_pid, 0);
        EXPECT_EQ(told[i].last, i + 1 == told.size());
    }
    EXPECT_EQ(ns, now - kStart - 10 * kMs);
    EXPECT_EQ(lengths(*low_record).holds.read().count(), 1U);
}

TEST_F(Measures, AHoldEndsWithItsQueueOrClient) {
    low.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    high.submit(0, kStart + 2 * kMs);
    dispatcher.pass(kStart + 2 * kMs);
    low.free_queue(0);
    dispatcher.pass(kStart + 5 * kMs);
    ASSERT_EQ(parts().size(), 1U);
    EXPECT_EQ(parts()[0].ns, 3 * kMs);
    EXPECT_TRUE(parts()[0].last);
    low.make_queue(0, 0);
    low.submit(0, kStart + 6 * kMs);
    dispatcher.pass(kStart + 6 * kMs);
    dispatcher.pass(kStart + 7 * kMs);
    dispatcher.remove_client(1);
    ASSERT_EQ(parts().size(), 2U);
    EXPECT_EQ(parts()[1].ns, kMs);
}

TEST(HoldTracker, CutsWhereTheCauseChanges) {
    HoldTracker tracker;
    std::vector<HoldPart> told;
    const auto take = [&told](const HoldPart& part) { told.push_back(part); };
    const HoldCause first{.by_pid = 1, .by_client = 1, .reason = sched::Reason::kLessUrgent};
    const HoldCause second{.by_pid = 2, .by_client = 2, .reason = sched::Reason::kLessUrgent};
    EXPECT_TRUE(tracker.follow(true, 100, first, 200, 0, take));
    EXPECT_FALSE(tracker.follow(true, 100, first, 250, 0, take));
    tracker.follow(true, 100, second, 300, 0, take);
    tracker.follow(false, 100, second, 450, 0, take);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].ns, 200);
    EXPECT_EQ(told[0].cause.by_client, 1U);
    EXPECT_EQ(told[1].ns, 150);
    EXPECT_EQ(told[1].hold_ns, 150) << "behind another one it is another hold";
    tracker.follow(true, 400, first, 500, 0, take);
    tracker.follow(false, 0, first, 600, 0, take);
    EXPECT_EQ(told[2].ns, 150) << "no time counts twice";
}

// A hold for the same program goes on under another policy, which has a reason of its own.
TEST(HoldTracker, CutsWhereThePolicyChanges) {
    HoldTracker tracker;
    std::vector<HoldPart> told;
    const auto take = [&told](const HoldPart& part) { told.push_back(part); };
    HoldCause cause{.by_pid = 1, .by_client = 1, .reason = sched::Reason::kNotItsTurn};
    tracker.follow(true, 100, cause, 200, 0, take);
    cause.reason = sched::Reason::kLessUrgent;
    EXPECT_FALSE(tracker.follow(true, 100, cause, 350, 300, take)) << "nothing else keeps it off";
    tracker.follow(true, 100, cause, 360, 300, take);
    tracker.follow(false, 100, cause, 400, 300, take);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].end_ns, 300);
    EXPECT_EQ(told[0].ns, 200);
    EXPECT_TRUE(told[0].last);
    EXPECT_EQ(told[0].cause.reason, sched::Reason::kNotItsTurn);
    EXPECT_EQ(told[1].end_ns, 350) << "that it goes on under the new policy is told at the first look";
    EXPECT_FALSE(told[1].last);
    EXPECT_EQ(told[1].cause.reason, sched::Reason::kLessUrgent);
    EXPECT_EQ(told[2].hold_ns, 100);
}

TEST_F(Measures, RequestsAreJudgedByTheTarget) {
    high.slot(0).slo_p99.store(1500);
    for (const int64_t begin_ms : {1, 20, 40, 60}) urgent_burst(begin_ms, begin_ms + (begin_ms == 20 ? 2 : 1));
    const QueueRecord& record = *high_record->find(0);
    EXPECT_EQ(record.targeted.load(), 3U) << "the last request may go on";
    EXPECT_EQ(record.late.load(), 1U);
    EXPECT_EQ(lengths(*high_record).requests.read().count(), 3U);
    EXPECT_EQ(lengths(*high_record).rests.read().count(), 2U);
}

}  // namespace
}  // namespace xsched::dispatch
