// The history of the units of a device while units come and go.
#include "sched/state/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace xsched::test {
namespace {

using sched::DeviceHistory;
using sched::UnitState;

class HistoryTest : public ::testing::Test {
protected:
    static constexpr uint64_t kDevice = 7;

    void come(uint64_t id) {
        UnitState unit;
        unit.unit.id = id;
        unit.group = id;
        units.push_back(unit);
    }
    // Removes a unit as the dispatcher does: the last unit takes its place in the array.
    void leave(size_t at) {
        units[at] = units.back();
        units.pop_back();
    }
    DeviceHistory& follow() {
        sched::DeviceUnits given;
        given.device = kDevice;
        given.units = units;
        given.composition = ++composition;
        bool changed = false;
        DeviceHistory& device = history.follow(given, 1000, &changed);
        EXPECT_TRUE(changed);
        return device;
    }
    // Writes each unit's number into its history, so that the test sees whether histories stay with their units.
    void mark(DeviceHistory& device) {
        for (size_t at = 0; at < device.units.size(); ++at) {
            device.units[at].progress_ns = static_cast<int64_t>(device.units[at].id);
            device.verdicts[at].since_ns = static_cast<int64_t>(device.units[at].id);
        }
    }
    void expect_marks(const DeviceHistory& device, size_t fresh = 0) {
        ASSERT_EQ(device.units.size(), units.size());
        ASSERT_EQ(device.verdicts.size(), units.size());
        ASSERT_EQ(device.usages.size(), units.size());
        for (size_t at = 0; at < units.size(); ++at) {
            const uint64_t id = units[at].unit.id;
            EXPECT_EQ(device.units[at].id, id);
            EXPECT_EQ(device.verdicts[at].id, id);
            EXPECT_EQ(device.find(id), at);
            if (at + fresh >= units.size()) continue;
            EXPECT_EQ(device.units[at].progress_ns, static_cast<int64_t>(id)) << at;
            EXPECT_EQ(device.verdicts[at].since_ns, static_cast<int64_t>(id)) << at;
        }
    }

    sched::History history;
    std::vector<UnitState> units;
    uint64_t composition = 0;
};

TEST_F(HistoryTest, WhatIsKnownStaysWithItsUnit) {
    for (uint64_t id = 10; id < 20; ++id) come(id);
    mark(follow());
    leave(3);
    expect_marks(follow());
    leave(0);
    leave(units.size() - 1);
    expect_marks(follow());
    come(30);
    expect_marks(follow(), 1);
    mark(follow());
    leave(2);
    leave(2);
    come(31);
    come(32);
    expect_marks(follow(), 2);
    std::swap(units[0], units[4]);
    mark(follow());
    std::reverse(units.begin(), units.end());
    expect_marks(follow());
    units.clear();
    expect_marks(follow());
}

TEST_F(HistoryTest, AUnitThatComesAgainIsNew) {
    come(1);
    come(2);
    mark(follow());
    leave(0);
    follow();
    come(1);
    EXPECT_EQ(follow().units[1].progress_ns, 0);
}

// A crowd's history takes 1.5 KiB for each: clients that come and go would have it copied, and new memory taken, each
// time.
TEST_F(HistoryTest, NobodyElseIsCopiedWhenOneLeaves) {
    for (uint64_t id = 1; id <= 200; ++id) come(id);
    const sched::UnitHistory* there = follow().units.data();
    for (int i = 0; i < 20; ++i) {
        leave(5);
        EXPECT_EQ(follow().units.data(), there);
    }
    come(1000);
    EXPECT_EQ(follow().units.data(), there) << "there is room";
}

}  // namespace
}  // namespace xsched::test
