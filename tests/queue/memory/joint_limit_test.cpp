// A limit that the programs of one user have together: however their allocations meet, they never have more.
#include "queue/memory/joint_limit.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "dispatch/limited_clients.h"
#include "support/eventually.h"

namespace xsched::queue {
namespace {

using dispatch::testing::FakeClient;
using dispatch::testing::LimitedClients;

constexpr uint64_t kLimit = 100;
constexpr uint64_t kDevice = 7;

// The two clients are in this one process, but each has an entry of its own.
class JointLimit : public LimitedClients {
protected:
    void SetUp() override {
        limits->account = 5;
        limits->memory_limit = kLimit;
        for (FakeClient* client : {&one, &two}) {
            client->header().memory[0].device = client == &one ? kDevice : kDevice + 1;
            client->header().memory_joint_limit = kLimit;
            dispatcher.add_client(view(*client));
        }
        two.header().memory[1].device = kDevice;
        passes = std::thread([this] {
            for (int64_t now_ns = base::now_ns(); !over; dispatcher.pass(now_ns)) {
                now_ns = hurries ? now_ns + base::kSecond : std::max(now_ns, base::now_ns());
                if (!hurries) std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        });
    }
    void TearDown() override {
        be_silent();
        forget_counted_memory();
    }
    // The scheduler looks no more.
    void be_silent() {
        over = true;
        if (passes.joinable()) passes.join();
    }
    bool take(size_t which, uint64_t bytes) { return count_memory(which, kDevice, header(which), bytes); }
    void leave(size_t which, uint64_t bytes) { uncount_memory(which, header(which), bytes); }
    ipc::Header* header(size_t which) { return &(which == 0 ? one : two).header(); }

    std::atomic<bool> over{false};
    std::atomic<bool> hurries{false};  // the scheduler looks at memory without a pause
    std::thread passes;
};

TEST_F(JointLimit, WhatOneHasTheOtherCannotHave) {
    EXPECT_TRUE(take(0, 70)) << "all that is left, if it asks";
    EXPECT_FALSE(take(1, 40));
    EXPECT_TRUE(take(1, 30));
    EXPECT_FALSE(take(0, 1));
    leave(0, 70);
    EXPECT_TRUE(take(1, 70));
    EXPECT_FALSE(take(0, 1));
}

TEST_F(JointLimit, TellsWhatIsLeft) {
    ASSERT_TRUE(take(0, 60));
    ASSERT_FALSE(take(1, 41)) << "the scheduler looks";
    EXPECT_EQ(joint_memory_left(1, header(1)), 40U);
    EXPECT_EQ(joint_memory_left(1, nullptr), UINT64_MAX);
}

TEST_F(JointLimit, WithoutASchedulerThereIsNone) { EXPECT_TRUE(count_memory(1, kDevice, nullptr, 10 * kLimit)); }

// The rest of the limit is divided evenly by then. Only the first allocation that needs more waits.
TEST_F(JointLimit, EachHasItsPartWhileTheSchedulerIsSilent) {
    ASSERT_TRUE(take(0, 60));
    ASSERT_TRUE(test::eventually([&] { return joint_memory_left(1, header(1)) == 40; }));
    be_silent();
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(take(1, 21));
    const int64_t began_ns = base::now_ns();
    EXPECT_TRUE(take(1, 20));
    EXPECT_FALSE(take(1, 1));
    EXPECT_LT(base::now_ns() - began_ns, 900 * base::kMillisecond) << "it does not wait again";
    EXPECT_FALSE(take(0, 21)) << "both together would have 101";
    EXPECT_TRUE(take(0, 20));
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("the scheduler does not answer"), std::string::npos);
}

// The next scheduler has not looked yet.
TEST_F(JointLimit, OutlivesTheScheduler) {
    ASSERT_TRUE(take(0, 60));
    ASSERT_TRUE(test::eventually([&] { return joint_memory_left(1, header(1)) == 40; }));
    be_silent();
    FakeClient next{9, 200};
    carry_joint_limit(1, *header(1), next.header());
    EXPECT_EQ(joint_memory_left(1, &next.header()), 40U);
    EXPECT_FALSE(count_memory(1, kDevice, &next.header(), 21));
    EXPECT_TRUE(count_memory(1, kDevice, &next.header(), 20));
}

TEST_F(JointLimit, NeverMoreAtAnyMoment) {
    hurries = true;  // most allocations then meet a look
    std::atomic<uint64_t> all{0};
    std::atomic<uint64_t> most{0};
    std::atomic<int> got{0};
    const int64_t until_ns = base::now_ns() + base::kSecond;
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 4; ++number)
        threads.emplace_back([&, number] {
            std::minstd_rand random(number + 1);
            for (uint64_t bytes = 1; base::now_ns() < until_ns; bytes = 1 + random() % 60) {
                if (!take(number % 2, bytes)) continue;
                const uint64_t sum = all += bytes;
                for (uint64_t before = most; before < sum && !most.compare_exchange_weak(before, sum);) {
                }
                ++got;
                if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                all -= bytes;
                leave(number % 2, bytes);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(most, kLimit);
    EXPECT_GT(most, kLimit / 2);
    EXPECT_GT(got, 20);
}

}  // namespace
}  // namespace xsched::queue
