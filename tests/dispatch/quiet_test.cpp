// The cost of passes while nothing happens: how many there are, and the words that they write.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class Quiet : public ::testing::Test {
protected:
    static constexpr uint32_t kPrograms = 60;
    static constexpr uint32_t kQueues = 20;

    // Adds programs that claim to have work and then report nothing any more.
    void make_crowd(int32_t priorities, bool device_reports) {
        for (uint32_t id = 1; id <= kPrograms; ++id) {
            crowd.push_back(std::make_unique<FakeClient>(id, static_cast<int32_t>(id)));
            FakeClient& client = *crowd.back();
            for (uint32_t at = 0; at < kQueues; ++at) {
                client.make_queue(at, static_cast<int32_t>(id) % priorities);
                client.slot(at).device_progress = device_reports ? 1 : 0;
                client.submit(at, now_ns);
                client.slot(at).launched = 1;
            }
            dispatcher.add_client(client.view());
        }
        now_ns += kMs;
    }

    Dispatcher dispatcher{hpf_core()};
    std::vector<std::unique_ptr<FakeClient>> crowd;
    int64_t now_ns = kStart;
};

TEST_F(Quiet, WhatDoesNotMoveIsLookedAtEverMoreSeldom) {
    make_crowd(1, true);
    FakeClient other(kPrograms + 1, 1);  // of another priority: without it no client is watched
    other.make_queue(0, -5);
    dispatcher.add_client(other.view());
    const int first = passes_within(dispatcher, now_ns, base::kSecond);
    for (int i = 0; i < 10; ++i) passes_within(dispatcher, now_ns, base::kSecond);
    const int later = passes_within(dispatcher, now_ns, base::kSecond);
    EXPECT_LT(first, 4000);
    EXPECT_LT(later, 300);
}

// Units that complete nothing are suspended, and each gets a turn every second in which it completes nothing either.
// The dispatcher makes few passes for them.
TEST_F(Quiet, StopsThatNeverComeCostLittle) {
    make_crowd(5, false);
    for (int i = 0; i < 5; ++i) passes_within(dispatcher, now_ns, base::kSecond);
    EXPECT_LT(passes_within(dispatcher, now_ns, base::kSecond), 300);
}

TEST_F(Quiet, TheEndOfLongWorkIsSeenAfterAPartOfItsLength) {
    FakeClient low(1, 1);
    FakeClient high(2, 2);
    low.make_queue(0, 0);
    high.make_queue(0, 10);
    high.slot(0).device_progress = 1;
    dispatcher.add_client(low.view());
    dispatcher.add_client(high.view());
    uint32_t passed = 0;
    for (const int64_t length_ns : {200 * kUs, 5 * kMs, 100 * kMs}) {
        low.submit(0, now_ns);
        high.submit(0, now_ns);
        dispatcher.pass(now_ns);
        const int64_t end_ns = now_ns + length_ns;
        while (now_ns < end_ns) now_ns = std::max(dispatcher.pass(now_ns, {}), now_ns + kUs);
        // The dispatcher may sleep until the work has ended, and after that for at most a part of the work's length.
        EXPECT_LE(now_ns, end_ns + std::max(50 * kUs, length_ns / 32)) << length_ns;
        high.slot(0).progress = ++passed;
        dispatcher.pass(now_ns, {});
        now_ns += 20 * kMs;
        dispatcher.pass(now_ns, {});
        EXPECT_FALSE(low.suspended(0));
        low.complete(0, now_ns);
        dispatcher.pass(now_ns);
    }
}

// A running command is looked at often, even after a long suspension: the time for which it was kept off says nothing
// of its length.
TEST_F(Quiet, WhatGoesOnIsLookedAtOften) {
    FakeClient low(1, 1);
    FakeClient high(2, 2);
    FakeClient least(3, 3);
    low.make_queue(0, 0);
    high.make_queue(0, 10);
    least.make_queue(0, -10);
    low.slot(0).device_progress = 1;
    low.submit(0, now_ns);
    high.submit(0, now_ns);
    least.submit(0, now_ns);
    for (FakeClient* client : {&low, &high, &least}) dispatcher.add_client(client->view());
    dispatcher.pass(now_ns);
    ASSERT_TRUE(low.suspended(0));
    passes_within(dispatcher, now_ns -= 200 * kMs, base::kSecond);  // less than would starve it
    high.complete(0, now_ns);
    const uint32_t rung[] = {2};
    dispatcher.pass(now_ns, rung);
    while (low.suspended(0)) now_ns = std::max(dispatcher.pass(now_ns, {}), now_ns + kUs);
    const int64_t goes_on_ns = now_ns;
    int64_t next_ns = 0;
    for (int i = 0; i < 4; ++i) next_ns = dispatcher.pass(now_ns, {});
    EXPECT_LE(next_ns, goes_on_ns + kMs);
}

TEST_F(Quiet, DirectivesAreWrittenAnewOnlyWhereSomethingChanged) {
    FakeClient low(1, 1);
    FakeClient high(2, 2);
    low.make_queue(0, 0);
    high.make_queue(0, 10);
    ClientView view = low.view();
    view.record = std::make_shared<ClientRecord>();
    dispatcher.add_client(view);
    dispatcher.add_client(high.view());
    low.submit(0, now_ns);
    high.submit(0, now_ns);
    dispatcher.pass(now_ns);
    ASSERT_TRUE(low.suspended(0));
    const auto read_for_a_while = [&] {
        for (int i = 0; i < 40; ++i) dispatcher.pass(now_ns += kMs, {});
    };
    const std::atomic<int64_t>& written_ns = view.record->make(0).waits_since_ns;
    read_for_a_while();
    const int64_t before_ns = written_ns.load();
    read_for_a_while();
    EXPECT_EQ(written_ns.load(), before_ns);
    low.slot(0).suspended = 0;  // by the client itself
    read_for_a_while();
    EXPECT_TRUE(low.suspended(0));
    EXPECT_GT(written_ns.load(), before_ns);
}

// One pass has time to read only some of a client's 1001 queues. Before all are read again, an urgent client gets work.
// The next pass suspends the 1000 queues that are known. The new queue is suspended after a later pass has read it.
TEST_F(Quiet, DirectivesDoNotWaitForTheRestOfATable) {
    FakeClient low(1, 1);
    FakeClient high(2, 2);
    for (uint32_t at = 0; at < 1000; ++at) {
        low.make_queue(at, 0);
        low.submit(at, now_ns);
    }
    high.make_queue(0, 10);
    for (FakeClient* client : {&low, &high}) dispatcher.add_client(client->view());
    dispatcher.pass(now_ns);
    ASSERT_FALSE(low.suspended(0));
    const uint32_t low_rang[] = {1};
    const uint32_t high_rang[] = {2};
    low.make_queue(1000, -5);  // of a unit that is not known before all is read
    low.submit(1000, now_ns);
    dispatcher.pass(now_ns += kUs, low_rang);
    high.submit(0, now_ns);
    dispatcher.pass(now_ns += kUs, high_rang);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(low.suspended(999));
    EXPECT_FALSE(low.suspended(1000));
    for (int i = 0; i < 20; ++i) dispatcher.pass(now_ns += kUs, {});
    EXPECT_TRUE(low.suspended(1000));
}

// Each pass writes the heartbeats of only a few clients, so no pass is long; still every client gets its heartbeat
// often enough to know that the scheduler lives.
TEST_F(Quiet, HeartbeatsOfManyComeAFewInEachPass) {
    constexpr uint32_t kMany = 400;
    FakeClient high(kMany + 1, 1);
    high.make_queue(0, 10);
    high.submit(0, now_ns);
    dispatcher.add_client(high.view());
    for (uint32_t id = 1; id <= kMany; ++id) {
        crowd.push_back(std::make_unique<FakeClient>(id, static_cast<int32_t>(id)));
        crowd.back()->make_queue(0, 0);
        dispatcher.add_client(crowd.back()->view());
    }
    dispatcher.pass(now_ns);
    std::vector<int64_t> last(kMany, now_ns);
    int64_t longest_ns = 0;
    int most = 0;
    for (const int64_t end_ns = now_ns + 300 * kMs; now_ns < end_ns;) {
        now_ns = std::max(dispatcher.pass(now_ns, {}), now_ns);
        int beaten = 0;
        for (uint32_t i = 0; i < kMany; ++i) {
            const int64_t beat_ns = crowd[i]->header().heartbeat_ns.load();
            if (beat_ns != last[i]) ++beaten;
            longest_ns = std::max(longest_ns, beat_ns - last[i]);
            last[i] = beat_ns;
        }
        most = std::max(most, beaten);
    }
    EXPECT_LE(most, 64);
    EXPECT_GT(most, 0);
    EXPECT_LE(longest_ns, 2 * ipc::kHeartbeatNs);
}

}  // namespace
}  // namespace xsched::dispatch
