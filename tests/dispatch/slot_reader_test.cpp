#include "dispatch/slot_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "dispatch/fake_client.h"
#include "xsched/types.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class SlotReader : public ::testing::Test {
protected:
    SlotReader() { client.make_queue(0, 5); }
    const QueueNumbers& read(int64_t now_ns = kStart) {
        EXPECT_TRUE(read_slot(client.slot(0), now_ns, numbers));
        return numbers;
    }
    FakeClient client{1, 100};
    QueueNumbers numbers;
};

TEST_F(SlotReader, OnlyUsedSlotsCount) {
    EXPECT_FALSE(read_slot(client.slot(1), kStart, numbers));
    client.slot(0).state = 2;
    EXPECT_FALSE(read_slot(client.slot(0), kStart, numbers));
}

TEST_F(SlotReader, AQueueInTheBackgroundIsLessUrgentThanAllOthers) {
    EXPECT_EQ(read().priority, 5);
    client.slot(0).background = 1;
    EXPECT_EQ(read().priority, PRIORITY_MIN);
    client.slot(0).priority = PRIORITY_NO_EXECUTE;
    EXPECT_EQ(read().priority, PRIORITY_NO_EXECUTE);
}

TEST_F(SlotReader, ReadyMeansNotEverythingIsComplete) {
    EXPECT_FALSE(read().ready);
    client.submit(0, kStart, 3);
    EXPECT_TRUE(read().ready);
    EXPECT_EQ(numbers.ready_since_ns, kStart);
    client.slot(0).completed = 2;
    EXPECT_TRUE(read().ready);
    client.complete(0, kStart);
    EXPECT_FALSE(read().ready);
    EXPECT_EQ(numbers.idle_since_ns, kStart);
}

TEST_F(SlotReader, AQueueThatStandsIsNotReady) {
    ipc::QueueSlot& slot = client.slot(0);
    client.submit(0, kStart, 5);
    slot.stands_at[1] = ipc::stand_mark(2);
    slot.stands_at[3] = ipc::stand_mark(4);
    EXPECT_TRUE(read().ready);
    for (const uint64_t completed : {2, 4}) {
        slot.completed = completed;
        EXPECT_FALSE(read().ready) << completed;
    }
    slot.completed = 3;
    EXPECT_TRUE(read().ready);
    slot.completed = 4;
    slot.waiting = 1;
    EXPECT_TRUE(read().ready);
    slot.waiting = 0;
    slot.stands_at[3] = 0;
    EXPECT_TRUE(read().ready);
}

TEST_F(SlotReader, InheritanceHoldsUntilItsCommandIsComplete) {
    client.submit(0, kStart, 4);
    client.slot(0).inherited_priority[0] = 50;
    client.slot(0).inherited_until[0] = 2;
    EXPECT_EQ(read().priority, 50);
    client.slot(0).completed = 1;
    EXPECT_EQ(read().priority, 50);
    client.slot(0).completed = 2;
    EXPECT_EQ(read().priority, 5);
}

TEST_F(SlotReader, InheritanceNeverLowers) {
    client.slot(0).inherited_priority[0] = -50;
    client.slot(0).inherited_until[0] = 2;
    EXPECT_EQ(read().priority, 5);
}

TEST_F(SlotReader, InheritanceDoesNotRunWhatMustNotRun) {
    client.slot(0).priority = PRIORITY_NO_EXECUTE;
    client.slot(0).inherited_priority[0] = 50;
    client.slot(0).inherited_until[0] = 2;
    EXPECT_EQ(read().priority, PRIORITY_NO_EXECUTE);
}

TEST_F(SlotReader, PrioritiesAreClamped) {
    client.slot(0).priority = 1'000'000;
    EXPECT_EQ(read().priority, PRIORITY_MAX);
    client.slot(0).priority = std::numeric_limits<int32_t>::min();
    EXPECT_EQ(read().priority, PRIORITY_NO_EXECUTE);
}

TEST_F(SlotReader, NothingHappenedInTheFuture) {
    client.slot(0).ready_since_ns = kStart + 1;
    client.slot(0).idle_since_ns = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(read().ready_since_ns, kStart);
    EXPECT_EQ(numbers.idle_since_ns, kStart);
    client.slot(0).ready_since_ns = -1;
    EXPECT_EQ(read().ready_since_ns, 0);
}

TEST_F(SlotReader, AnAnnouncedBurstIsAheadAndWithinTheHour) {
    client.slot(0).expect_ns = kStart + kMs;
    EXPECT_EQ(read().expect_ns, kStart + kMs);
    EXPECT_EQ(read(kStart + 3 * kMs).expect_ns, 0) << "it is over";
    client.slot(0).expect_ns = kStart + 3601 * base::kSecond;
    EXPECT_EQ(read().expect_ns, 0);
}

TEST_F(SlotReader, AnyBytesGiveUsableNumbers) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 10'000; ++round) {
        client.scribble(0, random);
        client.slot(0).state = static_cast<uint32_t>(ipc::SlotState::kUsed);
        client.header().slot_end = 1;
        read();
        EXPECT_TRUE(numbers.priority >= PRIORITY_NO_EXECUTE && numbers.priority <= PRIORITY_MAX);
        EXPECT_TRUE(numbers.ready_since_ns >= 0 && numbers.ready_since_ns <= kStart);
        EXPECT_TRUE(numbers.idle_since_ns >= 0 && numbers.idle_since_ns <= kStart);
        EXPECT_TRUE(numbers.command_ns >= 0 && numbers.command_ns <= kLongestCommandNs);
        const sched::Costs costs = read_costs(client.slot(0));
        for (const uint32_t us :
             {costs.switch_us, costs.off_us, costs.most_off_us, costs.effect_us, costs.interrupt_us})
            EXPECT_LE(us, kMostCostUs);
        EXPECT_TRUE(numbers.busy_ns >= 0);
        EXPECT_TRUE(numbers.utilization >= UTILIZATION_MIN && numbers.utilization <= UTILIZATION_MAX);
        EXPECT_TRUE(numbers.timeslice_us >= TIMESLICE_MIN && numbers.timeslice_us <= TIMESLICE_MAX);
        EXPECT_TRUE(numbers.deadline_us >= 0 && numbers.laxity_us >= 0);
        EXPECT_TRUE(numbers.expect_ns >= 0 && numbers.expect_ns <= kStart + 3600 * base::kSecond);
        EXPECT_TRUE(numbers.period_us >= 0 && numbers.period_us <= 3'600'000'000);
        EXPECT_TRUE(numbers.lax_priority >= PRIORITY_MIN && numbers.lax_priority <= PRIORITY_MAX);
        EXPECT_TRUE(numbers.critical_priority >= PRIORITY_MIN && numbers.critical_priority <= PRIORITY_MAX);
    }
}

}  // namespace
}  // namespace xsched::dispatch
