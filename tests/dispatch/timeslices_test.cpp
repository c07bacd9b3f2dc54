// Timeslices in the hardware: short ones of victims, and the most urgent program's own.
#include <gtest/gtest.h>

#include <array>

#include "dispatch/mechanism_in_slots.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

// With a short timeslice the starved unit would get one microsecond for each timeslice of the other units in its turn.
TEST_F(MechanismInSlots, AStarvedUnitHasTheDriversTimesliceInItsTurn) {
    int64_t now = begin_burst(learn_pauses(20 * kUs));
    ASSERT_TRUE(low.suspended(0));
    ASSERT_NE(low.slot(0).device_timeslice_us.load(), 0U);
    now += sched::Settings{}.starvation_limit_ns;
    dispatcher.pass(now);
    ASSERT_FALSE(low.suspended(0));
    EXPECT_EQ(low.slot(0).device_timeslice_us.load(), 0U);
    dispatcher.pass(now + 20 * kMs);
    ASSERT_TRUE(low.suspended(0));
    EXPECT_NE(low.slot(0).device_timeslice_us.load(), 0U);
}

TEST_F(MechanismInSlots, AShortTimesliceInsteadForAMoreUrgentOneThatStreams) {
    int64_t now = learn_pauses(15 * kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
    EXPECT_EQ(high.slot(0).device_timeslice_us, 0u);
    low.submit(0, now);
    high.submit(0, now);
    dispatcher.pass(now);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    dispatcher.remove_client(2);
    dispatcher.pass(now + kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u) << "nobody is left to make room for";
}

// A program that has work in several contexts gets no short timeslice: its contexts would take turns at that rate, with
// a context switch each time. A program that has used one context alone for seconds gets it again.
TEST_F(MechanismInSlots, NoTimesliceForOneWithWorkInSeveralContexts) {
    low.make_queue(1, 0);
    low.make_interruptible(1);
    low.slot(1).command_ns = kLongNs;
    low.slot(0).context = 11;
    low.slot(1).context = 12;
    int64_t now = learn_pauses(15 * kMs);
    ASSERT_EQ(low.slot(0).device_timeslice_us, 1u) << "the other context has nothing to do";
    for (const uint32_t at : {0U, 1U}) low.submit(at, now);
    dispatcher.pass(now);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    high.submit(0, now += kMs);
    dispatcher.pass(now);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_TRUE(interrupt());
    high.complete(0, now += kMs);
    low.complete(1, now);
    dispatcher.pass(now);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u) << "between two rounds";
    for (int64_t ms = 0; ms < 3000; ms += 50) {
        low.complete(0, now += 25 * kMs);
        dispatcher.pass(now);
        low.submit(0, now += 25 * kMs);
        dispatcher.pass(now);
    }
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u) << "it has used one context for seconds";
    low.slot(1).context = 11;
    low.submit(1, now);
    dispatcher.pass(now + kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u) << "streams of one context";
}

// A program in the background makes way for the desktop, which is no client. So it always has a short timeslice and a
// small launch window, even if no urgent client is there.
TEST_F(MechanismInSlots, AProgramInTheBackgroundAloneHasAShortTimesliceAndASmallWindow) {
    dispatcher.remove_client(2);
    low.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0U);
    EXPECT_EQ(low.slot(0).window_ns, 0);
    low.slot(0).background = 1;
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1U);
    EXPECT_GT(low.slot(0).window_ns, 0);
    low.slot(0).background = 0;
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0U);
    EXPECT_EQ(low.slot(0).window_ns, 0);
}

// If two programs in the background share the device, neither gets a short timeslice: the hardware would only switch
// between them.
TEST_F(MechanismInSlots, ProgramsInTheBackgroundBesideEachOtherHaveTheDriversTimeslice) {
    for (FakeClient* client : {&low, &high}) {
        client->slot(0).background = 1;
        client->submit(0, kStart);
    }
    dispatcher.pass(kStart);
    EXPECT_FALSE(low.suspended(0) || high.suspended(0));
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0U);
    EXPECT_EQ(high.slot(0).device_timeslice_us, 0U);
}

TEST_F(MechanismInSlots, NoTimesliceForOneThatPausesOften) {
    low.slot(0).command_ns = kBriefNs;
    learn_pauses(20 * kUs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u);
    low.slot(0).command_ns = kLongNs;  // interrupted: its short timeslice ends it sooner
    dispatcher.pass(kStart + 1000 * kMs);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

// The most urgent process gets a timeslice as long as its bursts. Otherwise the victim, which has only its own short
// timeslice to keep it off, would be back at each end of the urgent process's timeslice.
TEST_F(MechanismInSlots, TheMostUrgentHasATimesliceAsLongAsItsBursts) {
    int64_t now = kStart;
    const auto burst = [&](int64_t ns) {
        high.submit(0, now);
        dispatcher.pass(now);
        const bool taken_off = interrupt();
        high.complete(0, now + ns);
        dispatcher.pass(now + ns);
        dispatcher.pass(now + ns + 10 * kMs);
        now += ns + 15 * kMs;
        return taken_off;
    };
    low.submit(0, now);
    for (int i = 0; i < 4; ++i) burst(kMs);
    EXPECT_FALSE(burst(kMs));
    EXPECT_EQ(high.slot(0).device_timeslice_us, 0U) << "the driver's own does";
    for (int i = 0; i < 20; ++i) burst(3 * kMs);
    EXPECT_FALSE(burst(3 * kMs));
    EXPECT_EQ(high.slot(0).device_timeslice_us, 4096U);
    for (int i = 0; i < 30; ++i) burst(i % 2 == 0 ? 2 * kMs : 3 * kMs);
    EXPECT_EQ(high.slot(0).device_timeslice_us, 4096U) << "each change costs a call";
    for (int i = 0; i < 40; ++i) burst(30 * kMs);
    EXPECT_TRUE(burst(30 * kMs)) << "longer than the longest timeslice";
    EXPECT_EQ(high.slot(0).device_timeslice_us, 0U);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1U) << "it helps here too";
    for (int i = 0; i < 40; ++i) burst(kMs);
    EXPECT_FALSE(burst(kMs));
}

// A victim with a short timeslice does not count as late within a burst only because the urgent unit completes nothing:
// few of a burst's commands are reported before its end.
TEST_F(MechanismInSlots, BehindAShortTimesliceAVictimIsNotLateBeforeABurstIs) {
    int64_t now = learn_pauses(15 * kMs);
    const auto begin = [&] {
        low.submit(0, now);
        high.submit(0, now);
        dispatcher.pass(now);
    };
    for (int i = 0; i < 20; ++i) {
        begin();
        high.complete(0, now += 3 * kMs);
        dispatcher.pass(now);
        dispatcher.pass(now += 15 * kMs);
    }
    begin();
    dispatcher.pass(now + 3 * kMs);
    EXPECT_FALSE(interrupt());
    dispatcher.pass(now + 12 * kMs);
    EXPECT_TRUE(interrupt());
}

// A unit that completes nothing in its short timeslice (another program has one as short, say) gets the driver's own
// back.
TEST_F(MechanismInSlots, NoShortTimesliceForOneThatGetsNothingDoneInIt) {
    int64_t now = learn_pauses(15 * kMs);
    now += 200 * kMs;  // the more urgent one rests
    dispatcher.pass(now);
    ASSERT_EQ(low.slot(0).device_timeslice_us, 1u);
    low.submit(0, now);
    const std::array<uint32_t, 1> rung{1};
    const int64_t begin = now;
    int64_t wake = dispatcher.pass(now, rung);
    while (low.slot(0).device_timeslice_us != 0 && wake != 0 && now < begin + base::kSecond)
        wake = dispatcher.pass(now = wake, {});
    EXPECT_EQ(low.slot(0).device_timeslice_us, 0u) << "nobody rang";
    EXPECT_LT(now - begin, 500 * kMs);
    EXPECT_FALSE(low.suspended(0));
    low.complete(0, now += kMs);
    dispatcher.pass(now += 2 * base::kSecond);
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
}

}  // namespace
}  // namespace xsched::dispatch
