// Tests when the dispatcher asks a process to hold the device through its pauses (by keep-alive kernels): the request
// in the process's header in shared memory.
#include <gtest/gtest.h>

#include "dispatch/mechanism_in_slots.h"
#include "sched/pattern/departure.h"
#include "sched/pattern/queued_bursts.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class KeepAliveInHeader : public MechanismInSlots {
protected:
    // Plays bursts of `high` without pauses, each while `low` works, until the scheduler believes that `high` streams.
    // Returns the time then.
    int64_t learn_streaming() {
        int64_t now = kStart;
        for (unsigned i = 0; i < 2 * sched::Habits::kThinkTimes; ++i) {
            now = begin_burst(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            dispatcher.pass(now + 3 * kMs);
            low.complete(0, now + 4 * kMs);
            now += 16 * kMs;
        }
        return now;
    }
};

TEST_F(KeepAliveInHeader, WhoeverMayTakeOverIsToldToBePrepared) {
    dispatcher.pass(kStart);
    EXPECT_EQ(high.header().keep_alive_wanted, 1u);
    EXPECT_EQ(low.header().keep_alive_wanted, 0u);
    dispatcher.remove_client(1);
    dispatcher.pass(kStart + kMs);
    EXPECT_EQ(high.header().keep_alive_wanted, 0u) << "nobody is left to be kept off";
}

TEST_F(KeepAliveInHeader, BesideAKeepAliveItIsOnlyKeptOff) {
    const int64_t now = begin_burst(learn_waits() + 20 * kMs);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kKeptOff));
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kGpu.off_ns());
    EXPECT_EQ(low.header().keep_alive_until_ns, 0);
    dispatcher.pass(now + 100 * kUs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kGpu.off_ns());
    dispatcher.pass(now + kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kMs + kGpu.effect_ns()) << "its agent has not answered yet";
    low.header().carried_out = low.header().directive.load();
    dispatcher.pass(now + kMs + 50 * kUs);
    const int64_t until_ns = now + kMs + 50 * kUs + sched::kLookNs;
    EXPECT_EQ(high.header().keep_alive_until_ns, until_ns) << "the call has just ended";
    dispatcher.pass(now + kMs + 100 * kUs);
    EXPECT_EQ(high.header().keep_alive_until_ns, until_ns) << "once for each time";
    // A person suspends the victim as well. So it must be taken off the device even when the urgent unit wants
    // nothing any more.
    ASSERT_TRUE(dispatcher.set_suspended_by_person(1, 0, true));
    high.complete(0, now + 4 * kMs);
    dispatcher.pass(now + 30 * kMs);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTakenOff));
}

// A keep-alive lasts for as long as it takes to get the less urgent process off the device, as seen with that process,
// not as its platform declares for every machine.
TEST_F(KeepAliveInHeader, LastsForAsLongAsTheCallsOfThatProcessTake) {
    const auto habits = std::make_shared<sched::ProgramHabits>();
    const auto record = std::make_shared<ClientRecord>();
    dispatcher.remove_client(1);
    ClientView view = low.view();
    view.record = record;
    view.habits = habits;
    dispatcher.add_client(view);
    int64_t now = learn_waits() + 20 * kMs;
    low.slot(0).launched = 1000;  // something is on the device each time
    for (size_t i = 0; i < sched::OffTimes::kKept / 2; ++i) {
        now = begin_burst(now);
        ASSERT_TRUE(interrupt()) << i;
        EXPECT_EQ(high.header().keep_alive_until_ns, now + kGpu.off_ns());
        low.slot(0).taken = static_cast<uint32_t>(ipc::Taken::kOff);
        low.header().carried_out = low.header().directive.load();
        dispatcher.pass(now += kMs);
        for (int pause = 0; pause < 4; ++pause) {
            ++high.header().keep_alive_synchronizes;
            high.complete(0, now += kMs);
            dispatcher.pass(now);
            high.submit(0, now += 20 * kUs);
            dispatcher.pass(now);
        }
        high.complete(0, now += kMs);
        dispatcher.pass(now);
        low.slot(0).taken = 0;
        low.complete(0, now + 4 * kMs);
        dispatcher.pass(now += 20 * kMs + static_cast<int64_t>(i % 3) * 7 * kMs);
    }
    now = begin_burst(now + 20 * kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kMs + kGpu.effect_ns());
    EXPECT_EQ(record->find(0)->off_us, 1000 + kGpu.effect_us);
    EXPECT_EQ(habits->now.off_us, 1000U) << "its next run begins with that";
}

TEST_F(KeepAliveInHeader, CostsAreThoseOfThisMachineAndOfTheLastRun) {
    const auto habits = std::make_shared<sched::ProgramHabits>();
    const auto record = std::make_shared<ClientRecord>();
    habits->last_run.off_us = 200;
    dispatcher.remove_client(1);
    ClientView view = low.view();
    view.record = record;
    view.habits = habits;
    view.switch_us = 135;
    dispatcher.add_client(view);
    dispatcher.pass(kStart);
    EXPECT_EQ(record->find(0)->switch_us, 135U);
    EXPECT_EQ(record->find(0)->off_us, 200 + kGpu.effect_us);
    EXPECT_EQ(habits->now.off_us, 200U) << "kept though nothing was taken off";
}

// The switch time that was measured on this machine may be that of another GPU, on which programs run side by side.
// So it counts only up to a fixed factor below or above the declared one.
TEST_F(KeepAliveInHeader, AMeasuredSwitchStaysNearTheDeclaredOne) {
    const auto record = std::make_shared<ClientRecord>();
    dispatcher.remove_client(1);
    ClientView view = low.view();
    view.record = record;
    view.switch_us = 2;
    dispatcher.add_client(view);
    dispatcher.pass(kStart);
    EXPECT_EQ(record->find(0)->switch_us, kGpu.switch_us / sched::OffTimes::kMostFactor);
}

TEST_F(KeepAliveInHeader, OneWhoseAgentDoesNotAnswerIsNotWaitedForForEver) {
    const int64_t now = begin_burst(learn_waits() + 20 * kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kGpu.off_ns());
    const int64_t last = now + kGpu.most_off_ns();
    dispatcher.pass(last);
    dispatcher.pass(last + kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, last + kGpu.effect_ns());
}

TEST_F(KeepAliveInHeader, AnAnswerToAnEarlierDirectiveIsNone) {
    int64_t now = learn_waits() + 20 * kMs;
    low.submit(0, now);
    dispatcher.pass(now);
    low.header().directive = UINT32_MAX;  // it wraps around
    low.header().carried_out = UINT32_MAX;
    now += kMs;
    high.submit(0, now);
    dispatcher.pass(now);
    dispatcher.pass(now + kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + kMs + kGpu.effect_ns());
    low.header().carried_out = low.header().directive.load();
    dispatcher.pass(now + 2 * kMs);
    dispatcher.pass(now + 3 * kMs);
    EXPECT_EQ(high.header().keep_alive_until_ns, now + 2 * kMs + sched::kLookNs);
}

TEST_F(KeepAliveInHeader, BesideOneWithoutKeepAliveItIsTakenOff) {
    both_submit();
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTakenOff));
    EXPECT_EQ(high.header().keep_alive_until_ns, 0);
}

// A unit that was known to use the device in one stretch pauses this time. Its victim has only a short timeslice and
// would be back in that pause, so the unit is asked to keep the device.
TEST_F(KeepAliveInHeader, OneThatStreamsAndPausesAfterAllKeepsTheDevice) {
    high.header().keeps_alive = 1;
    int64_t now = begin_burst(learn_streaming());
    EXPECT_FALSE(interrupt());
    EXPECT_GE(high.header().keep_alive_until_ns, now + kGpu.off_ns()) << "it may pause today";
    ++high.header().keep_alive_synchronizes;
    high.complete(0, now + 100 * kUs);
    dispatcher.pass(now + 100 * kUs);
    EXPECT_TRUE(low.suspended(0)) << "for a moment";
    high.submit(0, now + 110 * kUs);
    dispatcher.pass(now + 110 * kUs);
    EXPECT_EQ(low.slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kKeptOff));
    EXPECT_GE(high.header().keep_alive_until_ns, now + 110 * kUs + kGpu.off_ns());
}

// Requests that queue.
class KeepAliveBehindQueuedBursts : public KeepAliveInHeader {
protected:
    void SetUp() override {
        KeepAliveInHeader::SetUp();
        high.header().keeps_alive = 1;
    }
    void bursts(unsigned number, int64_t rest_ns = 15 * kMs) {
        for (unsigned i = 0; i < number; ++i) {
            high.submit(0, now);
            dispatcher.pass(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            now += kMs + rest_ns;
        }
    }
    // Plays bursts of `high`, one of which follows another one at once.
    void learn() {
        bursts(2 * sched::Habits::kThinkTimes);
        EXPECT_EQ(high.header().keep_alive_always_us, 0u);
        bursts(1, 20 * kUs);
        bursts(2);
    }
    int64_t now = kStart;
};

TEST_F(KeepAliveBehindQueuedBursts, ItsProcessKeepsTheDeviceBehindEach) {
    learn();
    EXPECT_EQ(high.header().keep_alive_always_us, sched::QueuedBursts::keep_ns() / 1000);
    EXPECT_EQ(low.header().keep_alive_always_us, 0u);
    dispatcher.remove_client(1);
    bursts(1);
    EXPECT_EQ(high.header().keep_alive_always_us, 0u) << "nobody would come in between";
}

TEST_F(KeepAliveBehindQueuedBursts, NotBesideAnEqualWhichWouldWaitForThat) {
    other.make_queue(0, 10);
    other.make_interruptible(0);
    dispatcher.add_client(other.view());
    other.submit(0, now);
    dispatcher.pass(now);
    other.complete(0, now += kMs);
    dispatcher.pass(now);
    learn();
    EXPECT_EQ(high.header().keep_alive_always_us, 0u);
    bursts(static_cast<unsigned>(sched::Settings{}.claim_limit_ns / (16 * kMs)));
    EXPECT_EQ(high.header().keep_alive_always_us, sched::QueuedBursts::keep_ns() / 1000)
        << "it has not worked for long";
}

// Bursts that follow each other at once do not count as one burst that lasts too long, although all of them together
// last longer than what counts as late.
TEST_F(KeepAliveInHeader, ThoseThatFollowEachOtherAtOnceAreNotOneThatIsTooLong) {
    int64_t now = begin_burst(learn_streaming());
    for (int i = 0; i < 2; ++i) {
        high.complete(0, now + kMs);
        high.submit(0, now + kMs + 20 * kUs);
        dispatcher.pass(now += kMs + 20 * kUs);
        ASSERT_TRUE(low.suspended(0));
    }
    dispatcher.pass(now + kMs);
    EXPECT_FALSE(interrupt());
    dispatcher.pass(now + 2 * kMs);
    EXPECT_TRUE(interrupt()) << "but this one is";
}

// Beside brief bursts no call takes the victim off: the burst would be over before the call is done.
TEST_F(KeepAliveInHeader, BesideBriefBurstsNobodyCalls) {
    high.header().keeps_alive = 1;
    int64_t now = kStart;
    const auto part = [&](int64_t ns) {
        ++high.header().keep_alive_synchronizes;
        high.complete(0, now += ns);
        dispatcher.pass(now);
        high.submit(0, now += 20 * kUs);
        dispatcher.pass(now);
    };
    const auto burst = [&](int parts) {
        now = begin_burst(now);
        for (int i = 0; i < parts; ++i) part(50 * kUs);
    };
    const auto end = [&] {
        high.complete(0, now += 50 * kUs);
        dispatcher.pass(now);
        dispatcher.pass(now += 3 * kMs);
        low.complete(0, now += kMs);
        dispatcher.pass(now);
        now += 6 * kMs;
    };
    for (int i = 0; i < 40; ++i) {
        burst(3);
        end();
    }
    burst(3);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(interrupt());
    EXPECT_EQ(low.slot(0).device_timeslice_us, 1u);
    EXPECT_GT(high.header().keep_alive_until_ns, now);
    for (int i = 0; i < 30; ++i) part(50 * kUs);
    EXPECT_TRUE(interrupt()) << "it goes on";
    end();
    burst(3);
    EXPECT_FALSE(interrupt()) << "once is no rule";
}

}  // namespace
}  // namespace xsched::dispatch
