#include "dispatch/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/log.h"
#include "dispatch/two_clients.h"
#include "xsched/types.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

using DispatcherDecides = TwoClients;

TEST_F(DispatcherDecides, ReadyHighSuspendsLowAndSaysWhy) {
    low.submit(0, kStart);
    EXPECT_EQ(dispatcher.pass(kStart), 0);
    EXPECT_FALSE(low.suspended(0));

    high.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_EQ(low.slot(0).gate, ipc::kGateClosed);
    EXPECT_EQ(reason(low), Reason::kLessUrgent);
    EXPECT_EQ(low.slot(0).by_pid, 200);
    EXPECT_EQ(low.slot(0).directed_ns, kStart + kMs);
    EXPECT_FALSE(high.suspended(0));
    EXPECT_EQ(reason(high), Reason::kChosen);
    EXPECT_EQ(high.slot(0).by_pid, 0);
}

TEST_F(DispatcherDecides, LowGoesOnAfterAnticipation) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    high.complete(0, kStart + 5 * kMs);
    EXPECT_EQ(dispatcher.pass(kStart + 5 * kMs), kStart + 6 * kMs) << "a command of low's is 1 ms long";
    EXPECT_TRUE(low.suspended(0));
    EXPECT_EQ(reason(low), Reason::kAnticipation);
    EXPECT_EQ(low.slot(0).directed_ns, kStart) << "suspended all the time";

    EXPECT_EQ(dispatcher.pass(kStart + 6 * kMs), 0);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(low.slot(0).gate, ipc::kGateOpen);
    EXPECT_EQ(reason(low), Reason::kChosen);
    EXPECT_EQ(low.slot(0).by_pid, 0);
    EXPECT_EQ(low.slot(0).directed_ns, kStart + 6 * kMs);
}

TEST_F(DispatcherDecides, RingsOnlyWhomItHasNewsForAndOnce) {
    low.make_queue(1, 0);
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    const uint32_t low_before = low.rings();
    const uint32_t high_before = high.rings();
    dispatcher.pass(kStart + kUs);
    EXPECT_EQ(low.rings(), low_before);
    EXPECT_EQ(high.rings(), high_before);

    high.submit(0, kStart + 2 * kUs);
    dispatcher.pass(kStart + 2 * kUs);
    EXPECT_TRUE(low.suspended(0) && low.suspended(1));
    EXPECT_EQ(low.rings(), low_before + 1);
    EXPECT_EQ(high.rings(), high_before);
    dispatcher.pass(kStart + 3 * kUs);
    EXPECT_EQ(low.rings(), low_before + 1);
}

TEST_F(DispatcherDecides, AChangeOfReasonAloneRingsNobody) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    const uint32_t before = low.rings();
    high.complete(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(reason(low), Reason::kAnticipation);
    EXPECT_EQ(low.rings(), before);
}

TEST_F(DispatcherDecides, TellsWhoCompetesAndWhoIsWatched) {
    dispatcher.pass(kStart);
    EXPECT_EQ(low.header().watching, 1U);
    EXPECT_EQ(high.header().watching, 1U);

    high.slot(0).priority = 0;
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(low.header().watching, 0U) << "equals run together, whoever is ready";

    high.free_queue(0);
    dispatcher.pass(kStart + 2 * kMs);
}

TEST_F(DispatcherDecides, AHeldCompetitorIsWatched) {
    high.slot(0).priority = 0;
    dispatcher.set_suspended_by_person(2, 0, true);
    dispatcher.pass(kStart);
    EXPECT_EQ(low.header().watching, 1U);
}

TEST_F(DispatcherDecides, OtherDevicesDoNotCompete) {
    high.slot(0).device = 2;
    dispatcher.pass(kStart);
    EXPECT_EQ(low.header().watching, 0U);
    high.submit(0, kStart);
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(reason(low), Reason::kAlone);
}

TEST_F(DispatcherDecides, QueuesOfOneProcessCompeteIfTheirPrioritiesDiffer) {
    high.free_queue(0);
    low.make_queue(1, 0);
    dispatcher.pass(kStart);
    low.slot(1).priority = 7;
    low.submit(0, kStart);
    low.submit(1, kStart);
    dispatcher.pass(kStart);
    EXPECT_EQ(low.header().watching, 1U);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(low.suspended(1));
}

TEST_F(DispatcherDecides, OnlyWhoCanBePreemptedKeepsASmallWindow) {
    dispatcher.pass(kStart);
    EXPECT_GT(low.slot(0).window_ns, 0);
    EXPECT_EQ(high.slot(0).window_ns, 0);
    high.slot(0).priority = 0;
    const uint32_t before = low.rings();
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(low.slot(0).window_ns, 0);
    EXPECT_EQ(low.rings(), before + 1) << "more may be launched now";
}

TEST_F(DispatcherDecides, AnInheritingQueueRunsWithTheUrgentOne) {
    low.submit(0, kStart, 2);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    ASSERT_TRUE(low.suspended(0));
    low.slot(0).inherited_priority[0] = 10;
    low.slot(0).inherited_until[0] = 1;
    dispatcher.pass(kStart + kMs);
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(low.header().watching, 1U) << "nobody else tells when it is over";
    EXPECT_GT(low.slot(0).window_ns, 0);
    low.slot(0).completed = 1;
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_TRUE(low.suspended(0));
}

TEST_F(DispatcherDecides, BeatsWhileAnythingIsSuspended) {
    EXPECT_EQ(dispatcher.pass(kStart), 0);
    EXPECT_EQ(low.header().heartbeat_ns, 0);

    low.submit(0, kStart);
    high.submit(0, kStart);
    int64_t now = kStart + kMs;
    int64_t wake = dispatcher.pass(now);
    EXPECT_EQ(low.header().heartbeat_ns, now);
    EXPECT_EQ(high.header().heartbeat_ns, 0) << "nothing of it is suspended";
    for (int i = 0; i < 10; ++i) {
        ASSERT_GT(wake, now);
        ASSERT_LE(wake, low.header().heartbeat_ns + ipc::kHeartbeatNs);
        now = wake;
        wake = dispatcher.pass(now);
        EXPECT_EQ(low.header().heartbeat_ns, now);
    }
}

TEST_F(DispatcherDecides, AQueueSuspendedAnewFindsAFreshHeartbeat) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    dispatcher.pass(kStart);
    high.complete(0, kStart + kMs);
    dispatcher.pass(kStart + 5 * kMs);
    ASSERT_FALSE(low.suspended(0));
    high.submit(0, kStart + 6 * kMs);
    dispatcher.pass(kStart + 6 * kMs);
    ASSERT_TRUE(low.suspended(0));
    EXPECT_EQ(low.header().heartbeat_ns, kStart + 6 * kMs);
}

TEST_F(DispatcherDecides, ASnapshotTellsOfEachQueue) {
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    high.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    dispatcher.pass(kStart + 3 * kMs);
    high.complete(0, kStart + 4 * kMs);
    dispatcher.pass(kStart + 10 * kMs);
    high.submit(0, kStart + 20 * kMs);
    dispatcher.pass(kStart + 20 * kMs);
    const auto queues = dispatcher.snapshot();
    ASSERT_EQ(queues.size(), 2U);
    EXPECT_EQ(queues[0].client_id, 1U);
    EXPECT_EQ(queues[0].slot, 0U);
    EXPECT_TRUE(queues[0].verdict.suspend);
    EXPECT_EQ(queues[0].preemptions, 2U);
    EXPECT_EQ(queues[0].suspended_total_ns, 9 * kMs);
    EXPECT_EQ(queues[1].client_id, 2U);
    EXPECT_EQ(queues[1].preemptions, 0U);
    EXPECT_EQ(queues[1].suspended_total_ns, 0);
}

TEST_F(DispatcherDecides, AStarvedClientGetsItsTurn) {
    low.submit(0, kStart);
    high.submit(0, kStart);
    int64_t now = kStart;
    int64_t wake = dispatcher.pass(now);
    high.slot(0).submitted = 1000;
    for (int i = 0; i < 100 && low.suspended(0); ++i) {
        ++high.slot(0).completed;
        wake = dispatcher.pass(now = wake);
    }
    EXPECT_FALSE(low.suspended(0));
    EXPECT_EQ(now, kStart + sched::Settings{}.starvation_limit_ns);
    EXPECT_EQ(reason(low), Reason::kStarved);
    EXPECT_FALSE(high.suspended(0));
    while (!low.suspended(0) && now < kStart + 2 * base::kSecond) {
        ++high.slot(0).completed;
        wake = dispatcher.pass(now = wake);
    }
    EXPECT_EQ(now, kStart + sched::Settings{}.starvation_limit_ns + sched::Settings{}.starvation_turn_ns);
}

TEST_F(DispatcherDecides, IgnoresClientsItCannotServe) {
    dispatcher.add_client({.id = 3, .pid = 300, .region = nullptr});
    dispatcher.add_client({.id = 1, .pid = 300, .region = low.view().region});
    dispatcher.remove_client(99);
    dispatcher.pass(kStart);
    EXPECT_EQ(dispatcher.snapshot().size(), 2U);
}

// When the dispatcher begins to watch a client, it reads the client once more, since the client may have become ready
// at that moment without ringing.
TEST_F(DispatcherDecides, LooksAgainWhenItBeginsToWatch) {
    class Racing : public policy::Policy {
    public:
        explicit Racing(FakeClient& client) : client_(client) {}
        int64_t choose(std::span<const policy::Unit> units, int64_t now_ns,
                       std::span<policy::Choice> choices) override {
            for (size_t i = 0; i < units.size(); ++i) choices[i].run = !client_ready_ || units[i].pid == 200;
            if (!client_ready_) client_.submit(0, now_ns);  // after the scan, before it can see `watching`
            client_ready_ = true;
            return 0;
        }

    private:
        FakeClient& client_;
        bool client_ready_ = false;
    };
    dispatcher.core().set_policy(std::make_unique<Racing>(high));
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(low.suspended(0)) << "in the same pass";
}

TEST_F(DispatcherDecides, LogsEveryChangedDecisionAtDebug) {
    const uint64_t handle = 0xabc;
    low.make_queue(0, 0, 1, handle);
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    base::set_log_level(base::LogLevel::kDebug);
    ::testing::internal::CaptureStderr();
    high.submit(0, kStart);
    dispatcher.pass(kStart + kMs);
    dispatcher.pass(kStart + 2 * kMs);
    high.complete(0, kStart + 3 * kMs);
    dispatcher.pass(kStart + 6 * kMs);
    const std::string log = ::testing::internal::GetCapturedStderr();
    base::set_log_level(base::LogLevel::kInfo);

    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
    EXPECT_NE(log.find("queue 0xabc of pid 100 (priority 0) suspended: makes room for a more urgent unit that has work "
                       "(pid 200, priority 10)"),
              std::string::npos)
        << log;
    EXPECT_EQ(log.find("by nobody"), std::string::npos) << log;
    EXPECT_NE(log.find("queue 0xabc of pid 100 (priority 0) resumed: chosen by the policy; its work was delayed by "
                       "5.000 ms, for pid 200\n"),
              std::string::npos)
        << log;
}

TEST_F(DispatcherDecides, TellsOnceThatAPolicyWasThrownOut) {
    class Broken : public policy::Policy {
    public:
        Broken() { set_name("broken"); }
        int64_t choose(std::span<const policy::Unit>, int64_t, std::span<policy::Choice> choices) override {
            for (policy::Choice& choice : choices) choice.run = false;
            return 0;
        }
    };
    dispatcher.core().set_policy(std::make_unique<Broken>());
    low.submit(0, kStart);
    ::testing::internal::CaptureStderr();
    int64_t now = kStart;
    for (int i = 0; i < 100; ++i) dispatcher.pass(now += 50 * kMs);
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
    EXPECT_NE(log.find("policy broken let no unit with work run"), std::string::npos) << log;
    EXPECT_FALSE(low.suspended(0));
}

TEST_F(DispatcherDecides, SurvivesClientsThatWriteNonsense) {
    std::mt19937_64 random(11);
    int64_t now = kStart;
    for (int round = 0; round < 300; ++round) {
        const uint32_t at = static_cast<uint32_t>(random() % 20);
        low.scribble(at, random);
        low.slot(at).state = static_cast<uint32_t>(random() % 3);
        now += static_cast<int64_t>(random() % (5 * kMs));
        const int64_t wake = dispatcher.pass(now);
        EXPECT_TRUE(wake == 0 || wake > now);
        EXPECT_LE(dispatcher.snapshot().size(), 22U);
    }
}

}  // namespace
}  // namespace xsched::dispatch
