// Tests gangs of programs on two devices, from their slots in shared memory to the directives.
#include <gtest/gtest.h>

#include "base/short_name.h"
#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;
using sched::Reason;

// Two members, each with a device, and on each device another program.
class Gang : public ::testing::Test {
protected:
    Gang() : dispatcher(hpf_core()) {
        first.make_queue(0, 5, 1);
        second.make_queue(0, 5, 2);
        below.make_queue(0, 0, 1);
        above.make_queue(0, 9, 2);
        for (FakeClient* member : {&first, &second}) member->slot(0).gang = base::number_of_name("train");
    }
    void come(std::shared_ptr<UserLimits> firsts = nullptr, std::shared_ptr<UserLimits> seconds = nullptr) {
        ClientView view = first.view();
        view.limits = std::move(firsts);
        dispatcher.add_client(view);
        view = second.view();
        view.limits = std::move(seconds);
        dispatcher.add_client(view);
        dispatcher.add_client(below.view());
        dispatcher.add_client(above.view());
        for (FakeClient* client : {&first, &second, &below}) client->submit(0, kStart);
        dispatcher.pass(kStart);
    }
    // All come and have work; then `above`, which is more urgent than the gang's member on the second device, has work
    // too.
    void come_and_stand() {
        come();
        above.submit(0, kStart + kMs);
        dispatcher.pass(kStart + kMs);
    }
    static Reason reason(FakeClient& client) { return static_cast<Reason>(client.slot(0).reason.load()); }

    FakeClient first{1, 100};
    FakeClient second{2, 200};
    FakeClient below{3, 300};
    FakeClient above{4, 400};
    Dispatcher dispatcher;
};

TEST_F(Gang, IsSuspendedAndResumedWithinOnePass) {
    come();
    EXPECT_FALSE(first.suspended(0));
    EXPECT_FALSE(second.suspended(0));
    EXPECT_TRUE(below.suspended(0));

    above.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs, std::vector<uint32_t>{4});
    EXPECT_TRUE(second.suspended(0));
    EXPECT_TRUE(first.suspended(0));
    EXPECT_EQ(first.slot(0).gate, ipc::kGateClosed);
    EXPECT_EQ(reason(first), Reason::kGang);
    EXPECT_FALSE(below.suspended(0)) << "the device is not left idle";

    dispatcher.remove_client(4);
    dispatcher.pass(kStart + 2 * kMs, std::vector<uint32_t>{});
    EXPECT_FALSE(first.suspended(0));
    EXPECT_FALSE(second.suspended(0));
    EXPECT_TRUE(below.suspended(0));
}

TEST_F(Gang, ADeadMemberHoldsNobody) {
    come_and_stand();
    dispatcher.remove_client(2);
    dispatcher.pass(kStart + 2 * kMs, std::vector<uint32_t>{});
    EXPECT_FALSE(first.suspended(0));
    EXPECT_TRUE(below.suspended(0));
}

TEST_F(Gang, ChangesByAHint) {
    come_and_stand();
    ASSERT_TRUE(first.suspended(0));
    first.slot(0).gang = 0;
    dispatcher.pass(kStart + 2 * kMs, std::vector<uint32_t>{1});
    EXPECT_FALSE(first.suspended(0));
    first.slot(0).gang = base::number_of_name("train");
    dispatcher.pass(kStart + 3 * kMs, std::vector<uint32_t>{1});
    EXPECT_TRUE(first.suspended(0));
}

TEST_F(Gang, OfTwoUsersIsTwo) {
    const auto limits = [](uint64_t account) {
        auto made = std::make_shared<UserLimits>();
        made->account = account;
        return made;
    };
    come(limits(1000), limits(1001));
    above.submit(0, kStart + kMs);
    dispatcher.pass(kStart + kMs);
    EXPECT_TRUE(second.suspended(0));
    EXPECT_FALSE(first.suspended(0));
}

}  // namespace
}  // namespace xsched::dispatch
