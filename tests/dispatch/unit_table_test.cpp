#include "dispatch/unit_table.h"

#include <gtest/gtest.h>

#include "dispatch/client_slots.h"
#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

bool scan_all(ClientSlots& client, int64_t now_ns) {
    Work work(INT64_MAX);
    return client.scan(now_ns, work);
}

// Scans the client with the smallest work budget, which suffices for a part of its slots. Returns whether all were
// read.
bool scan_a_bit(ClientSlots& client) {
    Work work(1);
    return client.scan(kStart, work);
}

// The units of one client, read from its slots.
class Units : public ::testing::Test {
protected:
    const DeviceTable& scan(uint64_t device = 1, int64_t now_ns = kStart) {
        EXPECT_TRUE(scan_all(client, now_ns));
        return table.device(device);
    }

    FakeClient memory{1, 100};
    UnitTable table;
    ClientSlots client{memory.view(), table};
};

TEST_F(Units, QueuesOfOnePriorityAndDeviceAreOneUnit) {
    memory.make_queue(0, 0);
    memory.make_queue(1, 0);
    memory.make_queue(2, 1);
    memory.make_queue(3, 0, 2);
    EXPECT_EQ(scan().units.size(), 2U);
    EXPECT_EQ(table.device(2).units.size(), 1U);
    client.set_suspended_by_person(memory.slot(1).handle, true);
    EXPECT_EQ(scan().units.size(), 3U) << "one suspended by a person is apart";
    for (const sched::UnitState& state : scan().units) {
        EXPECT_EQ(state.unit.pid, 100);
        EXPECT_EQ(state.unit.process, 1U);
    }
}

TEST_F(Units, AUnitSwitchesAsItsSlowestQueueDoes) {
    for (const uint32_t us : {175U, 0U, 200U}) {
        const uint32_t at = memory.header().slot_end;
        memory.make_queue(at, 0);
        memory.slot(at).switch_us = us;
    }
    EXPECT_EQ(scan().units[0].costs.switch_us, 200U);
}

TEST_F(Units, IdsStayWithTheirUnitsAndAreNotUsedAgain) {
    memory.make_queue(0, 0);
    memory.make_queue(1, 1);
    const uint64_t low = scan().units[0].unit.id;
    const uint64_t high = scan().units[1].unit.id;
    EXPECT_NE(low, high);
    memory.free_queue(0);
    ASSERT_EQ(scan().units.size(), 1U);
    EXPECT_EQ(table.device(1).units[0].unit.id, high);
    memory.make_queue(0, 0);
    ASSERT_EQ(scan().units.size(), 2U);
    EXPECT_NE(table.device(1).units[1].unit.id, low);
}

TEST_F(Units, AUnitIsReadySinceTheOldestBurstOfItsReadyQueues) {
    for (uint32_t at = 0; at < 4; ++at) memory.make_queue(at, 0);
    scan();
    const auto set = [&](uint32_t at, bool ready, int64_t ready_ns, int64_t idle_ns, int64_t command_ns,
                         int64_t busy_ns) {
        memory.slot(at).submitted = ready ? 1 : 0;
        memory.slot(at).ready_since_ns = ready_ns;
        memory.slot(at).idle_since_ns = idle_ns;
        memory.slot(at).command_ns = command_ns;
        memory.slot(at).busy_ns = busy_ns;
    };
    set(0, false, 10, 20, 5, 1);
    set(1, true, 40, 35, 9, 0);
    set(2, true, 30, 0, 7, 5);
    set(3, false, 50, 60, 0, 0);
    const sched::UnitState& state = scan().units[0];
    EXPECT_TRUE(state.ready);
    EXPECT_EQ(state.unit.ready_since_ns, 30);
    EXPECT_EQ(state.idle_since_ns, 60);
    EXPECT_EQ(state.unit.command_ns, 9);
    EXPECT_EQ(state.measured_ns, 6);
    EXPECT_EQ(state.unit.busy_ns, 5) << "side by side, in no time";
}

TEST_F(Units, AQueueThatComesForAMomentBringsNoPast) {
    memory.make_queue(0, 0);
    memory.make_queue(1, 5);
    scan();
    memory.slot(0).busy_ns = 100;
    memory.slot(1).busy_ns = 10;
    scan();
    const auto busy_of = [&](int32_t priority) {
        for (const sched::UnitState& state : table.device(1).units)
            if (state.unit.priority == priority) return state.unit.busy_ns;
        return int64_t{-1};
    };
    EXPECT_EQ(busy_of(5), 10);
    memory.slot(0).priority = 5;  // inherited, say
    memory.slot(0).busy_ns = 101;
    scan();
    EXPECT_EQ(busy_of(5), 11);
    memory.slot(0).priority = 0;
    scan();
    EXPECT_EQ(busy_of(5), 11);
    EXPECT_EQ(busy_of(0), 0) << "begins again";
}

TEST_F(Units, AnIdleUnitTellsItsLastBurst) {
    memory.make_queue(0, 0);
    memory.make_queue(1, 0);
    memory.slot(0).ready_since_ns = 40;
    memory.slot(0).idle_since_ns = 45;
    memory.slot(1).ready_since_ns = 30;
    memory.slot(1).idle_since_ns = 60;
    const sched::UnitState& state = scan().units[0];
    EXPECT_FALSE(state.ready);
    EXPECT_EQ(state.unit.ready_since_ns, 40);
    EXPECT_EQ(state.idle_since_ns, 60);
}

TEST_F(Units, AScanInPartsTellsNothingBeforeItsEnd) {
    for (uint32_t at = 0; at < 10; ++at) memory.make_queue(at, static_cast<int32_t>(at));
    for (uint32_t at = 0; at < 11; ++at) {  // first the header
        EXPECT_TRUE(table.devices().empty());
        EXPECT_FALSE(scan_a_bit(client));
    }
    for (uint32_t at = 1; at <= 10; ++at) {
        EXPECT_EQ(scan_a_bit(client), at == 10);
        EXPECT_EQ(table.device(1).units.size(), at) << "its units come one by one as well";
    }
    EXPECT_FALSE(scan_a_bit(client)) << "another one begins";
}

TEST_F(Units, WhatChangesHasItsPrice) {
    const auto price = [&] {
        Work work(INT64_MAX);
        client.scan(kStart, work);
        return work.done_ns();
    };
    EXPECT_EQ(price(), kReadNs) << "no slot is used";
    memory.make_queue(0, 5);
    EXPECT_EQ(price(), 2 * kReadNs + kQueueNs + kUnitNs + decision_ns(1)) << "a queue with a unit of its own";
    EXPECT_EQ(price(), 2 * kReadNs) << "is as it was";
    memory.make_queue(1, 5);
    EXPECT_EQ(price(), 3 * kReadNs + kQueueNs) << "a queue of the same unit";
    memory.submit(1, kStart);
    EXPECT_EQ(price(), 3 * kReadNs + decision_ns(1));
    memory.slot(1).device = 2;
    EXPECT_EQ(price(), 3 * kReadNs + kQueueNs + kUnitNs + 2 * decision_ns(1)) << "it goes, and another one comes";
    memory.slot(1).handle = 7;
    EXPECT_EQ(price(), 3 * kReadNs + kQueueNs);
    memory.free_queue(1);
    EXPECT_EQ(price(), 3 * kReadNs + kQueueNs + kUnitNs + decision_ns(1));
}

TEST_F(Units, WhatMovesKeepsItsOwner) {
    FakeClient other_memory(2, 200);
    ClientSlots other(other_memory.view(), table);
    memory.make_queue(0, 0);
    other_memory.make_queue(0, 0);
    scan();
    scan_all(other, kStart);
    const DeviceTable& device = table.device(1);
    ASSERT_EQ(device.units.size(), 2U);
    memory.free_queue(0);
    scan();
    ASSERT_EQ(device.units.size(), 1U);
    EXPECT_EQ(device.units[0].unit.process, 2U);
    other_memory.submit(0, kStart);
    scan_all(other, kStart + kMs);
    EXPECT_TRUE(device.units[0].ready) << "written to where it is now";
    other.let_go(kStart);
    EXPECT_TRUE(device.units.empty());
}

TEST_F(Units, OnlyWhatChangedIsToBeDecidedAbout) {
    memory.make_queue(0, 0);
    scan();
    ASSERT_EQ(table.dirty().size(), 1U);
    table.dirty().front()->in_dirty = false;
    table.dirty().clear();
    scan();
    EXPECT_TRUE(table.dirty().empty());
    memory.submit(0, kStart);
    scan();
    EXPECT_EQ(table.dirty().size(), 1U);
}

}  // namespace
}  // namespace xsched::dispatch
