// Bursts that a program or a person announced: from the hint in the slot to the victim off the device in time.
#include "dispatch/client_slots.h"
#include "dispatch/two_clients.h"
#include "sched/pattern/expectation.h"
#include "sched/pattern/pauses.h"
#include "xsched/types.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr int64_t kAt = kStart + 30 * kMs;

class Announced : public TwoClients {
protected:
    void SetUp() override {
        TwoClients::SetUp();
        low.slot(0).level = kPreemptLevelDeactivate;
        low.slot(0).command_ns = 2 * kMs;
        low.submit(0, kStart);
        high.slot(0).expect_ns = kAt;
    }
    // Makes passes, at the times for which the dispatcher asks, until the victim is suspended. Returns the time of
    // that pass.
    int64_t stands_at() {
        int64_t now = kStart;
        for (int passes = 0; passes < 1000 && now != 0 && now < kAt + 10 * kMs; ++passes) {
            const int64_t next = dispatcher.pass(now);
            if (low.suspended(0)) return now;
            now = next;
        }
        return 0;
    }
    void use_interrupts() {
        low.make_interruptible(0);
        high.make_interruptible(0);
    }
};

TEST_F(Announced, AVictimWithAGateIsSuspendedItsCommandsLengthAhead) {
    const int64_t ahead_ns = kAt - stands_at();
    EXPECT_GE(ahead_ns, 2 * kMs);
    EXPECT_LE(ahead_ns, 2 * kMs + 300 * kUs);
    EXPECT_EQ(reason(low), sched::Reason::kExpected);
    EXPECT_EQ(low.slot(0).by_pid, 200);
}

TEST_F(Announced, OneWithoutAGateIsSuspendedEarlier) {
    low.slot(0).level = kPreemptLevelBlock;
    EXPECT_GE(kAt - stands_at(), 2 * kMs + ClientSlots::kWindowNs);
}

TEST_F(Announced, OneThatCanBeInterruptedNeedNotFinishItsCommand) {
    use_interrupts();
    low.slot(0).command_ns = 30 * kMs;
    const int64_t ahead_ns = kAt - stands_at();
    EXPECT_GE(ahead_ns, 700 * kUs);
    EXPECT_LE(ahead_ns, kMs);
    EXPECT_EQ(low.slot(0).interrupt, 1U);
}

TEST_F(Announced, TheDeviceIsSwitchedToTheUrgentOneJustBefore) {
    stands_at();
    EXPECT_EQ(high.slot(0).warm, 0U);
    const int64_t moment = kAt - sched::Foreseen::prepares_ns({});
    EXPECT_LE(dispatcher.pass(moment - 100 * kUs), moment);
    EXPECT_EQ(high.slot(0).warm, 0U);
    dispatcher.pass(moment);
    dispatcher.pass(moment + 100 * kUs);
    EXPECT_EQ(high.slot(0).warm, 1U);
    EXPECT_EQ(low.slot(0).warm, 0U);
}

TEST_F(Announced, ItRunsOnIfTheBurstStaysAway) {
    stands_at();
    dispatcher.pass(kAt + sched::Expectation::kSlackNs);
    EXPECT_FALSE(low.suspended(0));
}

TEST_F(Announced, NothingToBeDoneForOneThatWasTakenBack) {
    high.slot(0).expect_ns = 0;
    EXPECT_EQ(stands_at(), 0);
}

TEST_F(Announced, InterruptedAheadThoughATimesliceWouldDoOtherwise) {
    use_interrupts();
    low.slot(0).command_ns = 5 * kMs;
    high.slot(0).expect_ns = 0;
    const int64_t now = learn_pauses(20 * kMs);
    dispatcher.pass(now);
    ASSERT_EQ(low.slot(0).device_timeslice_us, 1U);
    EXPECT_EQ(low.slot(0).interrupt, 0U);
    high.slot(0).expect_ns = now + 500 * kUs;
    dispatcher.pass(now);
    EXPECT_EQ(low.slot(0).interrupt, 1U);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1U) << "it will be the better means again";
}

}  // namespace
}  // namespace xsched::dispatch
