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
    // The device says that they are done, and nobody rings.
    for (const auto& client : urgent) client->slot(0).progress = 1;
    int passes = 0;
    for (; low.suspended(0) && passes < 200; ++passes) dispatcher.pass(now_ns += 50 * kUs, {});
    EXPECT_GT(passes, 1) << "not all of them in one pass";
    EXPECT_LT(now_ns, kStart + 10 * kMs) << "the pause after the last of them included";
}

}  // namespace
}  // namespace xsched::dispatch
