// Tests of queues that stand at a wait for something that the device does not end, such as a value from the host.
// Only the device shows when such a wait begins and ends, so the dispatcher must look.
#include <gtest/gtest.h>

#include "dispatch/two_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class Stands : public TwoClients {
protected:
    // Lets the urgent program wait for its host while the low program works.
    void SetUp() override {
        high.slot(0).device_progress = 1;
        low.submit(0, now_ns);
        high.submit(0, now_ns, 2);
        high.slot(0).stands_at[0] = ipc::stand_mark(0);
        pass_for(100 * kMs);
    }
    // Makes passes for `ns`, when the dispatcher asks for them. Returns how many.
    int pass_for(int64_t ns) { return passes_within(dispatcher, now_ns, ns); }

    int64_t now_ns = kStart;
};

TEST_F(Stands, NobodyIsKeptOffForThem) { EXPECT_FALSE(low.suspended(0)); }

TEST_F(Stands, TheEndOfTheWaitIsSeenInAMillisecond) {
    pass_for(10 * base::kSecond);
    EXPECT_FALSE(low.suspended(0));
    high.slot(0).progress = 1;
    pass_for(kMs + kMs / 4);
    EXPECT_TRUE(low.suspended(0));
}

TEST_F(Stands, LookingCostsLittle) { EXPECT_LE(pass_for(base::kSecond), 2500); }

// The agent is asked at the begin and the end of a wait, so that it can tell the waiting time from the device's time.
TEST_F(Stands, TheAgentIsAskedAtBothEnds) {
    const uint32_t asked = high.slot(0).ask;
    high.slot(0).progress = 1;
    dispatcher.pass(now_ns);
    EXPECT_EQ(high.slot(0).ask, asked + 1);
    EXPECT_GE(asked, 1u);
}

}  // namespace
}  // namespace xsched::dispatch
