#include "dispatch/unit_table.h"

#include <gtest/gtest.h>

namespace xsched::dispatch {
namespace {

QueueNumbers queue(int32_t priority, uint64_t device = 1) { return {.device = device, .priority = priority}; }

TEST(UnitTable, QueuesOfOneProcessPriorityAndDeviceAreOneUnit) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    EXPECT_EQ(table.add(queue(0), false), 0U);
    EXPECT_EQ(table.add(queue(0), false), 0U);
    EXPECT_EQ(table.add(queue(1), false), 1U) << "another priority";
    EXPECT_EQ(table.add(queue(0, 2), false), 2U) << "another device";
    EXPECT_EQ(table.add(queue(0), true), 3U) << "suspended by a person";
    EXPECT_EQ(table.add(queue(1), false), 1U);
    table.begin_client(2, 200);
    EXPECT_EQ(table.add(queue(0), false), 4U) << "another process";
    ASSERT_EQ(table.units().size(), 5U);
    EXPECT_EQ(table.units()[4].unit.pid, 200);
    EXPECT_TRUE(table.units()[3].held);
}

TEST(UnitTable, AUnitSwitchesAsItsSlowestQueueDoes) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    table.add({.device = 1, .switch_ns = 175'000}, false);
    table.add({.device = 1}, false);
    table.add({.device = 1, .switch_ns = 200'000}, false);
    EXPECT_EQ(table.units()[0].switch_ns, 200'000);
}

TEST(UnitTable, IdsStayWithTheirUnits) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    table.add(queue(0), false);
    table.add(queue(1), false);
    const uint64_t low = table.units()[0].unit.id;
    const uint64_t high = table.units()[1].unit.id;
    EXPECT_NE(low, high);
    EXPECT_NE(low, 0U);

    table.begin_pass();
    table.begin_client(1, 100);
    table.add(queue(1), false);
    table.add(queue(2), false);
    table.add(queue(0), false);
    EXPECT_EQ(table.units()[0].unit.id, high);
    EXPECT_EQ(table.units()[2].unit.id, low);
    EXPECT_NE(table.units()[1].unit.id, high);
    EXPECT_EQ(table.find(low), &table.units()[2]);
    EXPECT_EQ(table.find(4711), nullptr);
}

TEST(UnitTable, AnIdIsNotUsedAgainForAnother) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    table.add(queue(0), false);
    const uint64_t first = table.units()[0].unit.id;
    table.begin_pass();
    table.begin_pass();
    table.begin_client(1, 100);
    table.add(queue(0), false);
    EXPECT_NE(table.units()[0].unit.id, first);
}

TEST(UnitTable, AUnitIsReadySinceTheOldestBurstOfItsReadyQueues) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    table.add({.device = 1, .ready_since_ns = 10, .idle_since_ns = 20, .command_ns = 5, .busy_ns = 1}, false);
    table.add({.device = 1, .ready = true, .ready_since_ns = 40, .idle_since_ns = 35, .command_ns = 9}, false);
    table.add({.device = 1, .ready = true, .ready_since_ns = 30, .command_ns = 7, .busy_ns = 5}, false);
    table.add({.device = 1, .ready = false, .ready_since_ns = 50, .idle_since_ns = 60}, false);
    const sched::UnitState& state = table.units()[0];
    EXPECT_TRUE(state.ready);
    EXPECT_EQ(state.unit.ready_since_ns, 30);
    EXPECT_EQ(state.idle_since_ns, 60);
    EXPECT_EQ(state.unit.command_ns, 9);
    EXPECT_EQ(state.unit.busy_ns, 6);
}

TEST(UnitTable, AnIdleUnitTellsItsLastBurst) {
    UnitTable table;
    table.begin_pass();
    table.begin_client(1, 100);
    table.add({.device = 1, .ready_since_ns = 40, .idle_since_ns = 45}, false);
    table.add({.device = 1, .ready_since_ns = 30, .idle_since_ns = 60}, false);
    EXPECT_FALSE(table.units()[0].ready);
    EXPECT_EQ(table.units()[0].unit.ready_since_ns, 40);
    EXPECT_EQ(table.units()[0].idle_since_ns, 60);
}

}  // namespace
}  // namespace xsched::dispatch
