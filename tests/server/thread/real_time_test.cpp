// The real-time class of the deciding thread, and that a client that keeps it busy makes it rest.
#include "server/thread/real_time.h"

#include <sched.h>
#include <sys/prctl.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "server/hostile.h"
#include "server/real_time_rights.h"
#include "server/server_threads.h"
#include "server/thread/front_nice.h"

namespace xsched::test {
namespace {

using server::BusyWatch;
using server::RealTimeBudget;

TEST(RealTimeBudget, AThreadThatSleepsAsLongAsItWorksNeverRests) {
    RealTimeBudget budget;
    for (int turn = 0; turn < 10'000; ++turn) EXPECT_EQ(budget.rest_ns(100'000, 100'000), 0);
}

TEST(RealTimeBudget, ABurstOfWorkDoesNotRest) {
    RealTimeBudget budget;
    EXPECT_EQ(budget.rest_ns(0, RealTimeBudget::kMostOwedNs), 0);
    EXPECT_GT(budget.rest_ns(0, 1), 0);
}

// Simulates a thread whose work takes `turn_ns` at a time, and returns the part of the time for which its real-time
// budget lets it work.
double part_of_time(int64_t turn_ns, uint32_t threads) {
    RealTimeBudget budget;
    int64_t worked = 0;
    int64_t slept = 0;
    int64_t rest = 0;
    for (int turn = 0; turn < 10'000; ++turn) {
        worked += turn_ns;
        slept += rest;
        rest = budget.rest_ns(rest, turn_ns, threads);
        EXPECT_LE(rest, std::max(RealTimeBudget::kLongestRestNs, turn_ns * (2 * int64_t{threads} - 1)));
    }
    return static_cast<double>(worked) / static_cast<double>(worked + slept);
}

TEST(RealTimeBudget, AThreadThatOthersKeepBusyWorksHalfOfTheTime) { EXPECT_NEAR(part_of_time(200'000, 1), 0.5, 0.005); }

TEST(RealTimeBudget, LongTurnsRestForLonger) {
    EXPECT_NEAR(part_of_time(2'000'000, 1), 0.5, 0.005);
    EXPECT_NEAR(part_of_time(300'000, 4), 0.5 / 4, 0.005);
}

TEST(RealTimeBudget, SeveralThreadsTogetherWorkHalfOfTheTimeOfOne) {
    EXPECT_NEAR(part_of_time(20'000, 8), 0.5 / 8, 0.001);
}

TEST(RealTimeBudget, AnAttackThatIsOverIsForgottenSoon) {
    RealTimeBudget budget;
    for (int turn = 0; turn < 10'000; ++turn) budget.rest_ns(0, 1'000'000);
    budget.rest_ns(RealTimeBudget::kMostEverOwedNs, 0);
    EXPECT_EQ(budget.rest_ns(0, 1000), 0);
}

TEST(BusyWatch, IsBusyForASecondAfterMoreThanAFifth) {
    BusyWatch watch(0);
    const int64_t window = BusyWatch::kWindowNs;
    EXPECT_FALSE(watch.due(window - 1));
    EXPECT_TRUE(watch.due(window));
    EXPECT_FALSE(watch.busy(window, window / 5));
    const int64_t used = window / 5 + window / 5 + 1;
    EXPECT_TRUE(watch.busy(2 * window, used));
    EXPECT_TRUE(watch.busy(2 * window + BusyWatch::kRemembersNs - 1, used));
    EXPECT_FALSE(watch.busy(3 * window + BusyWatch::kRemembersNs, used));
}

// Returns the nanoseconds of processor time that the thread has had.
int64_t ran_ns(pid_t pid, pid_t thread) {
    int64_t ns = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/schedstat") >> ns;
    return ns;
}

bool is_real_time(pid_t thread) { return (sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK) == SCHED_RR; }

// Returns whether the thread gets the real-time class while a client rings now and then.
bool becomes_real_time(const std::string& path, pid_t thread) {
    TestClient client(path, "rings");
    return client.connected() && eventually([&client, thread] {
               usleep(10'000);
               ring_doorbell(client.header());
               return is_real_time(thread);
           });
}

class RealTimeAttack : public UnderAttack {};

TEST_F(RealTimeAttack, AClientThatRingsWithoutRest) {
    if (!may_be_real_time()) GTEST_SKIP() << "this user may not have threads of the real-time class";
    const pid_t thread = thread_named(server->pid(), "xserver-sched");
    ASSERT_NE(thread, 0);
    const std::string path = socket();
    ASSERT_TRUE(becomes_real_time(path, thread));
    Attacker attacker(kAttackerUid, [path] {
        static TestClient client(path, "rings");
        if (!client.connected()) return false;
        client.add_queue(0, 0, 0x99);
        if (fork() == 0) {  // after its parent has said that it is ready; the parent ends it
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) ring_doorbell(client.header());
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_scheduling();
    const int64_t before = ran_ns(server->pid(), thread);
    const int64_t began = base::now_ns();
    usleep(500'000);
    const int64_t used = ran_ns(server->pid(), thread) - before;
    EXPECT_LT(used, (base::now_ns() - began) * 6 / 10);
    EXPECT_GT(used, 0);
    EXPECT_TRUE(is_real_time(thread));
}

// Further clients are waited for by threads of their own, of the same class: one for each 31.
TEST_F(RealTimeAttack, ManyClientsThatRingWithoutRest) {
    if (!may_be_real_time()) GTEST_SKIP() << "this user may not have threads of the real-time class";
    constexpr size_t kClients = 200;
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [path] {
        static std::vector<std::unique_ptr<TestClient>> clients;
        for (size_t i = 0; i < kClients; ++i) clients.push_back(std::make_unique<TestClient>(path, "rings"));
        if (!clients.back()->connected()) return false;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                for (const auto& client : clients) ring_doorbell(client->header());
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    const auto bells = [this] { return threads_named(server->pid(), "xserver-bells"); };
    ASSERT_TRUE(eventually([&] { return bells().size() >= 5; }));
    ASSERT_TRUE(eventually([&] { return is_real_time(bells().back()); }));
    const auto used_ns = [&] {
        int64_t all = 0;
        for (const pid_t thread : bells()) all += ran_ns(server->pid(), thread);
        return all;
    };
    expect_scheduling();
    const int64_t before = used_ns();
    const int64_t began = base::now_ns();
    usleep(500'000);
    const int64_t used = used_ns() - before;
    const int64_t passed = base::now_ns() - began;
    EXPECT_LT(used, passed * 7 / 10 + static_cast<int64_t>(bells().size()) * server::RealTimeBudget::kMostOwedNs);
    EXPECT_GT(used, 0);
}

}  // namespace
}  // namespace xsched::test
