// The decisions that a client is told for its own log, and the counts of stops, resumptions and pauses.
#include "ipc/decisions.h"

#include <memory>

#include "dispatch/record.h"
#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class Decisions : public TwoClients {
protected:
    std::vector<ipc::Decision> told(FakeClient& client) {
        std::vector<ipc::Decision> all;
        ipc::Decision decision;
        for (uint32_t i = 0; i < client.header().decisions.end(); ++i)
            if (client.header().decisions.read(i, decision)) all.push_back(decision);
        return all;
    }
    void hold_and_resume() {
        low.submit(0, kStart);
        dispatcher.pass(kStart);
        high.submit(0, kStart + kMs);
        dispatcher.pass(kStart + kMs);
        high.complete(0, kStart + 4 * kMs);
        dispatcher.pass(kStart + 4 * kMs);
        dispatcher.pass(kStart + 40 * kMs);
    }
};

TEST_F(Decisions, AreToldToTheVictimAndToTheCause) {
    low.header().wants_decisions = 1;
    high.header().wants_decisions = 1;
    hold_and_resume();
    const auto victim = told(low);
    ASSERT_EQ(victim.size(), 2U);
    EXPECT_EQ(victim[0].kind, ipc::DecisionKind::kSuspended);
    EXPECT_EQ(victim[0].slot, 0U);
    EXPECT_EQ(victim[0].pid, 200);
    EXPECT_EQ(victim[0].pid_priority, 10);
    EXPECT_EQ(victim[1].kind, ipc::DecisionKind::kResumed);
    EXPECT_GT(victim[1].delayed_ns, 2 * kMs);
    const auto cause = told(high);
    ASSERT_EQ(cause.size(), 2U);
    EXPECT_EQ(cause[0].kind, ipc::DecisionKind::kSuspendedFor);
    EXPECT_EQ(cause[0].slot, 0U) << "its own queue that has the work";
    EXPECT_EQ(cause[0].priority, 10);
    EXPECT_EQ(cause[0].pid, 100);
    EXPECT_EQ(cause[0].pid_queue, 1U);
    EXPECT_EQ(cause[1].kind, ipc::DecisionKind::kResumedFor);
}

TEST_F(Decisions, AreWrittenForNobodyWhoDoesNotAsk) {
    hold_and_resume();
    EXPECT_EQ(low.header().decisions.end(), 0U);
    EXPECT_EQ(high.header().decisions.end(), 0U);
}

TEST(DecisionRing, WhoReadsTooLateMissesTheOldest) {
    const auto ring = std::make_unique<ipc::DecisionRing>();
    for (uint32_t i = 0; i < ipc::DecisionRing::kEntries + 3; ++i) ring->add({.slot = i});
    ipc::Decision decision;
    EXPECT_FALSE(ring->read(2, decision));
    ASSERT_TRUE(ring->read(3, decision));
    EXPECT_EQ(decision.slot, 3U);
    EXPECT_EQ(ring->end(), ipc::DecisionRing::kEntries + 3);
}

// Counts of decisions about a client (suspensions, resumptions, pauses), as the server's tools read them.
class Counted : public ::testing::Test {
protected:
    Counted() : dispatcher(hpf_core()) {
        low.make_queue(0, 0);
        high.make_queue(0, 10);
        ClientView view = low.view();
        view.record = record;
        dispatcher.add_client(view);
        dispatcher.add_client(high.view());
    }
    const QueueRecord& queue() { return *record->find(0); }

    FakeClient low{1, 100};
    FakeClient high{2, 200};
    std::shared_ptr<ClientRecord> record = std::make_shared<ClientRecord>();
    Dispatcher dispatcher;
};

TEST_F(Counted, StopsAndResumptionsTakeAsLongAsTheyDo) {
    low.submit(0, kStart, 3);
    low.slot(0).launched = 2;
    dispatcher.pass(kStart);
    high.submit(0, kStart);
    EXPECT_LE(dispatcher.pass(kStart), kStart + 100 * kUs) << "it looks how the stop goes on";
    EXPECT_EQ(queue().lengths()->stops.read().count(), 0U);
    low.slot(0).completed = 2;  // what was on the device
    dispatcher.pass(kStart + 5 * kMs);
    ASSERT_EQ(queue().lengths()->stops.read().count(), 1U);
    EXPECT_EQ(queue().lengths()->stops.read().sum_ns, 5U * kMs);
    EXPECT_EQ(queue().stops_by[static_cast<int>(sched::Mechanism::kGate)].count.load(), 1U);
    high.complete(0, kStart + 6 * kMs);
    dispatcher.pass(kStart + 6 * kMs);
    int64_t now = kStart + 6 * kMs;
    while (low.suspended(0) && now < kStart + 100 * kMs) dispatcher.pass(now += kMs);
    ASSERT_FALSE(low.suspended(0));
    low.slot(0).launched = 3;
    dispatcher.pass(now + 2 * kMs);
    ASSERT_EQ(queue().lengths()->resumes.read().count(), 1U);
    EXPECT_EQ(queue().lengths()->resumes.read().sum_ns, 2U * kMs);
}

TEST_F(Counted, TimesWithAndWithoutWorkAddUp) {
    dispatcher.pass(kStart);
    low.submit(0, kStart + 10 * kMs);
    dispatcher.pass(kStart + 12 * kMs);
    low.complete(0, kStart + 30 * kMs);
    dispatcher.pass(kStart + 40 * kMs);
    EXPECT_EQ(queue().running_ns.load(), 20 * kMs);
    EXPECT_EQ(queue().idle_ns.load(), 20 * kMs);
}

TEST_F(Counted, WhatAQueueDidStaysWhenItGoes) {
    low.submit(0, kStart, 7);
    dispatcher.pass(kStart);
    low.complete(0, kStart + kMs);
    low.slot(0).busy_ns = kMs;
    dispatcher.pass(kStart + kMs);
    low.free_queue(0);
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_EQ(queue().gone_completed.load(), 7U);
    EXPECT_EQ(queue().gone_busy_ns.load(), kMs);
}

}  // namespace
}  // namespace xsched::dispatch
