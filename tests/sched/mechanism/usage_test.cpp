// How a unit's use of the device matters for its victims.
#include "sched/mechanism/usage.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

// An urgent unit that can keep the device, beside one that always has work.
struct UrgentBesideBusy {
    void burst(int64_t length_ns, int64_t pause_ns) {
        high.ready = true;
        high.unit.ready_since_ns = now_ns += pause_ns;
        decide();
        now_ns += length_ns;
        high.ready = false;
        high.idle_since_ns = now_ns;
        ++high.completed;
        decide();
    }
    void decide() {
        const UnitState units[] = {low, high};
        keep_alive_us = core.decide(units, now_ns).verdicts[1].preemption.keep_alive_us;
    }

    UnitState low = Given{.id = 1, .ready = true, .level = kPreemptLevelInterrupt, .costs = kGpu};
    UnitState high = Given{.id = 2, .priority = 1, .level = kPreemptLevelInterrupt, .keeps_alive = true, .costs = kGpu};
    int64_t now_ns = kStart;
    uint32_t keep_alive_us = 0;
    WholeCore core = hpf_core();
};

TEST(Usage, BehindRequestsTheDeviceIsKeptHoweverManyHadQueued) {
    UrgentBesideBusy some;
    for (int i = 0; i < 10; ++i) {
        some.burst(kMs, 20 * kMs);
        for (int queued = 0; queued < 4; ++queued) some.burst(kMs, 10 * kUs);
        EXPECT_NE(some.keep_alive_us, 0U) << i;
    }
}

TEST(Usage, BehindThePartsOfABurstItIsNotKept) {
    UrgentBesideBusy some;
    for (int i = 0; i < 10; ++i) {
        some.burst(50 * kUs, 20 * kMs);
        for (int part = 0; part < 20; ++part) some.burst(50 * kUs, 10 * kUs);
    }
    EXPECT_EQ(some.keep_alive_us, 0U);
}

}  // namespace
}  // namespace xsched::sched
