// A unit that is suspended for a more urgent one of its own process on another device, which may wait for it.
#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

class AcrossDevices : public ::testing::Test {
protected:
    bool low_runs(int64_t now_ns) { return !core.decide({{low, high}}, now_ns).verdicts[0].suspend; }
    static UnitState of_process(UnitState state, uint64_t process) {
        state.unit.process = process;
        state.progress_ns = kStart;
        return state;
    }

    WholeCore core{Core(policy::find_policy("HHPF")->make(), {.starvation_limit_ns = 0, .claim_limit_ns = 0})};
    UnitState low = of_process(Given{.id = 1, .ready = true, .ready_since_ns = kStart, .device = 1}, 7);
    UnitState high = of_process(Given{.id = 2, .priority = 5, .ready = true, .ready_since_ns = kStart, .device = 2}, 7);
};

TEST_F(AcrossDevices, ItGetsATurnIfTheUrgentOneGetsNoFurther) {
    low_runs(kStart);
    EXPECT_FALSE(low_runs(kStart + kMs));
    EXPECT_FALSE(low_runs(kStart + 23 * kMs)) << "20 ms and four commands";
    bool ran = false;
    for (int64_t ms = 24; ms < 60; ++ms) ran = ran || low_runs(kStart + ms * kMs);
    EXPECT_TRUE(ran);
}

TEST_F(AcrossDevices, NoneWhileTheUrgentOneGetsOn) {
    for (int64_t ms = 0; ms < 200; ms += 5) {
        high.progress_ns = kStart + ms * kMs;
        const bool ran = low_runs(kStart + ms * kMs);
        EXPECT_FALSE(ms > 0 && ran) << ms;
    }
}

TEST_F(AcrossDevices, NoneIfAnotherProcessIsUrgent) {
    high.unit.process = 8;
    low_runs(kStart);
    for (int64_t ms = 1; ms < 200; ms += 5) EXPECT_FALSE(low_runs(kStart + ms * kMs)) << ms;
}

}  // namespace
}  // namespace xsched::sched
