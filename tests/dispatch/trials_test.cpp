// Bursts that the scheduler spends on trying a mechanism, in the slots.
#include "sched/pattern/trials.h"

#include <gtest/gtest.h>

#include "dispatch/mechanism_in_slots.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

// A timeslice lets the victim back in in gaps that nobody sees.
class TrialsInSlots : public MechanismInSlots {
protected:
    explicit TrialsInSlots(sched::Settings settings = {.trials = true}) : MechanismInSlots(settings) {}
    void SetUp() override {
        MechanismInSlots::SetUp();
        low.slot(0).command_ns = kBriefNs;
        now = learn_pauses(15 * kMs);
        low.submit(0, now);
        dispatcher.pass(now);
    }
    // Of `high`, which takes so long; the anticipation after it is over as well.
    void burst(int64_t with_timeslice_ns, int64_t with_gate_ns) {
        now += 15 * kMs;
        high.submit(0, now);
        dispatcher.pass(now);
        EXPECT_TRUE(low.suspended(0));
        now += low.slot(0).device_timeslice_us != 0 ? with_timeslice_ns : with_gate_ns;
        high.complete(0, now);
        dispatcher.pass(now);
        dispatcher.pass(now + 10 * kMs);
        EXPECT_FALSE(low.suspended(0));
    }
    int64_t now = 0;
};

TEST_F(TrialsInSlots, AGateAloneWhereTheUrgentOneIsSoonerDoneSo) {
    for (unsigned i = 0; i < 2 * sched::Trials::kBursts + 2; ++i) burst(1600 * kUs, 1200 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    low.slot(0).command_ns = 600 * kUs;  // no gate is enough for these
    burst(1600 * kUs, 1200 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

TEST_F(TrialsInSlots, ATimesliceWhereItIsNotWorse) {
    for (unsigned i = 0; i < 3 * sched::Trials::kBursts; ++i) burst(kMs, kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

class NoTrialsInSlots : public TrialsInSlots {
protected:
    NoTrialsInSlots() : TrialsInSlots({}) {}
};

TEST_F(NoTrialsInSlots, NothingIsTriedUnasked) {
    for (unsigned i = 0; i < 3 * sched::Trials::kBursts; ++i) {
        EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
        burst(1600 * kUs, 1200 * kUs);
    }
}

}  // namespace
}  // namespace xsched::dispatch
