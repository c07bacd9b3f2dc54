// Clients whose work runs are read whether they ring or not: where many run side by side, some of them in each pass.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

TEST(Followed, ManySideBySideAreReadInTurn) {
    constexpr uint32_t kMany = 40;
    Dispatcher dispatcher{sched::Core(policy::find_policy("HPF")->make())};
    std::vector<std::unique_ptr<FakeClient>> urgent;
    for (uint32_t id = 1; id <= kMany; ++id) {
        urgent.push_back(std::make_unique<FakeClient>(id, static_cast<int32_t>(id)));
        urgent.back()->make_queue(0, 1);
        urgent.back()->slot(0).device_progress = 1;
        dispatcher.add_client(urgent.back()->view());
    }
    FakeClient low(kMany + 1, kMany + 1);
    low.make_queue(0, 0);
    dispatcher.add_client(low.view());
    int64_t now_ns = kStart;
    for (const auto& client : urgent) client->submit(0, now_ns);
    low.submit(0, now_ns);
    dispatcher.pass(now_ns);
    EXPECT_TRUE(low.suspended(0));
    // All the urgent clients' commands complete, and no client rings the doorbell: the dispatcher has to read that by
    // itself.
    for (const auto& client : urgent) client->slot(0).progress = 1;
    int passes = 0;
    for (; low.suspended(0) && passes < 200; ++passes) dispatcher.pass(now_ns += 50 * kUs, {});
    EXPECT_GT(passes, 1) << "not all of them in one pass";
    EXPECT_LT(now_ns, kStart + 10 * kMs) << "the pause after the last of them included";
}

// A client that has the device alone, so that the dispatcher follows it only for tools.
class LeftAlone : public ::testing::Test {
protected:
    LeftAlone() : client(1, 11), dispatcher(hpf_core()) {
        client.make_queue(0, 0);
        ClientView view = client.view();
        view.record = record;
        dispatcher.add_client(view);
        dispatcher.pass(kStart);
    }
    // Submits a command every 10 ms for ten seconds, and calls `each` each time. Returns whether the client is then
    // followed.
    template <typename Each>
    bool is_followed_after(Each each) {
        for (int64_t ms = 0; ms < 10'000; ms += 10) {
            const int64_t now_ns = kStart + ms * kMs;
            client.submit(0, now_ns);
            each(now_ns);
            dispatcher.pass(now_ns);
        }
        EXPECT_EQ(client.header().watching, record->make(0).watched);
        return client.header().watching != 0;
    }

    std::shared_ptr<ClientRecord> record = std::make_shared<ClientRecord>();
    FakeClient client;
    Dispatcher dispatcher;
};

TEST_F(LeftAlone, WhoWaitsForItsWorkIsNotFollowed) {
    EXPECT_FALSE(is_followed_after([&](int64_t now_ns) { client.complete(0, now_ns); }));
}
TEST_F(LeftAlone, WhoWaitsForItsWorkNowAndThenIsNotFollowed) {
    EXPECT_FALSE(is_followed_after([&](int64_t now_ns) {
        if (now_ns / (500 * kMs) != (now_ns - 10 * kMs) / (500 * kMs)) ++client.slot(0).completed;
    }));
}
TEST_F(LeftAlone, WhoOnlyLaunchesIsFollowed) {
    EXPECT_TRUE(is_followed_after([](int64_t) {}));
}
TEST_F(LeftAlone, AProgramWithATargetIsFollowed) {
    client.slot(0).slo_p99.store(5000);
    EXPECT_TRUE(is_followed_after([&](int64_t now_ns) { client.complete(0, now_ns); }));
}
TEST_F(LeftAlone, WhoWaitsForOneLongCommandIsNotFollowed) {
    client.submit(0, kStart);
    for (int64_t ms = 0; ms < 10'000; ms += 10) dispatcher.pass(kStart + ms * kMs);
    EXPECT_EQ(client.header().watching, 0u);
}

}  // namespace
}  // namespace xsched::dispatch
