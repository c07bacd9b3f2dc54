// A queue's words about events that several processes have.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "queue/devices.h"

namespace xsched::ipc {
namespace {

const SharedUse* find(const SharedUse (&table)[kMostSharedUses], uint64_t event) {
    for (const SharedUse& use : table)
        if (use.event == event) return &use;
    return nullptr;
}
SharedEvents& told(fake::FakeDevice& device) { return device.region().header.shared_events; }
int count(const SharedUse (&table)[kMostSharedUses]) {
    return static_cast<int>(
        std::count_if(std::begin(table), std::end(table), [](const SharedUse& use) { return use.event != 0; }));
}

TEST(SharedEvents, ARecordSaysWhatItIsBehind) {
    fake::FakeDevice device(test::kHolds);
    device.enqueue(0);
    device.enqueue(1);
    xq_shared_event(device.abi_queue(), 101, kXqRecords);
    const SharedUse* record = find(told(device).records, 101);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->until, 2u);
    EXPECT_EQ(record->handle, device.slot().handle);
    EXPECT_EQ(find(told(device).waits, 101), nullptr);
    EXPECT_GT(told(device).changes, 0u);
}

TEST(SharedEvents, TheLastRecordAndTheLastWaitCount) {
    fake::FakeDevice device(test::kHolds);
    for (int i = 0; i < 3; ++i) {
        device.enqueue(i);
        xq_shared_event(device.abi_queue(), 1, kXqRecords);
        xq_shared_event(device.abi_queue(), 2, kXqWaits);
    }
    EXPECT_EQ(count(told(device).records), 1);
    EXPECT_EQ(count(told(device).waits), 1);
    EXPECT_EQ(find(told(device).records, 1)->until, 3u);
}

TEST(SharedEvents, OnlyWhatIsOverMakesRoom) {
    fake::FakeDevice device(test::kHolds);
    device.enqueue(0);
    for (uint64_t event = 1; event <= kMostSharedUses; ++event) xq_shared_event(device.abi_queue(), event, kXqWaits);
    xq_shared_event(device.abi_queue(), 100, kXqWaits);
    EXPECT_EQ(find(told(device).waits, 100), nullptr) << "there is no room for all";
    EXPECT_NE(find(told(device).waits, 1), nullptr);
    device.step();
    device.enqueue(1);
    xq_shared_event(device.abi_queue(), 100, kXqWaits);
    EXPECT_NE(find(told(device).waits, 100), nullptr);
}

TEST(SharedEvents, AWaitWakesTheScheduler) {
    fake::FakeDevice device(test::kHolds);
    device.enqueue(0);
    const auto& header = device.region().header;
    xq_shared_event(device.abi_queue(), 1, kXqRecords);
    const uint32_t before = header.doorbell;
    xq_shared_event(device.abi_queue(), 1, kXqRecords);
    EXPECT_EQ(header.doorbell, before);
    xq_shared_event(device.abi_queue(), 1, kXqWaits);
    EXPECT_GT(header.doorbell, before);
}

}  // namespace
}  // namespace xsched::ipc
