// Tests how far apart a gated queue puts its gates, depending on what gates and launches cost.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "queue/gated_device.h"

namespace {

using xsched::fake::FakeDevice;
using namespace xsched::test;

TEST(GatesApart, FewerWhereTheSchedulerSaysSoAndWhereAShortTimesliceTakesTheProcessOff) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    constexpr int kKnown = 4000, kCounted = 200;
    int next = 0;
    const auto enqueue = [&](int count) {
        for (const int end = next + count; next < end; ++next) device.enqueue(next);
    };
    enqueue(10);
    while (device.step()) {
    }
    enqueue(kKnown);  // the first of them sees that those before are complete: from here on lengths are known
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that each seems to take 25 us or more
    while (device.step()) {
    }
    device.slot().window_ns = 1'000'000;
    enqueue(64);  // one of them looks how far the device is
    ASSERT_GT(device.slot().command_ns, 0);
    const auto gates_in_the_next = [&] {
        const int before = device.gates_inserted;
        enqueue(kCounted);
        return device.gates_inserted - before;
    };
    const int reports = device.progress_written;
    const int often = gates_in_the_next();
    EXPECT_LE(2 * (device.progress_written - reports), often) << "a report costs the device as much as a gate";
    device.slot().gates_apart_us = 300;
    const int as_told = gates_in_the_next();
    EXPECT_GE(as_told, 1);
    EXPECT_LE(3 * as_told, 2 * often) << "as the scheduler says";
    device.slot().gates_apart_us = 0;
    device.slot().device_timeslice_us = 1;
    const int seldom = gates_in_the_next();
    EXPECT_GE(seldom, 1);
    EXPECT_LE(2 * seldom, often);
}

// Returns how many of 200 commands have a gate before them, on a device with those costs, whose commands seem to take
// 25 us.
int gates_with(XqGateCost cost, int64_t launch_ns) {
    constexpr int kMeasured = 10, kKnown = 4000, kCounted = 200;
    FakeDevice device(kGates);
    device.gate_cost = cost;
    device.region().header.watching = 1;
    int next = 0;
    const auto enqueue = [&](int count) {
        for (const int end = next + count; next < end; ++next) device.enqueue(next);
    };
    device.launch_ns = launch_ns;
    enqueue(kMeasured);
    device.launch_ns = 0;
    while (device.step()) {
    }
    enqueue(kKnown);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    while (device.step()) {
    }
    device.slot().window_ns = 1'000'000;
    enqueue(64);
    EXPECT_GT(device.slot().command_ns, 0);
    const int before = device.gates_inserted;
    enqueue(kCounted);
    return device.gates_inserted - before;
}

// A gate costs the launching thread as much as two launches. If launches take longer than the commands do, gates
// would slow the program down, so there are fewer.
TEST(GatesApart, FewerWhereLaunchesTakeLongerThanWhatTheyLaunch) {
    constexpr uint32_t kHostNs = 2'000'000;
    const int often = gates_with({0, 0}, 0);
    EXPECT_GE(often, 20);
    EXPECT_LE(gates_with({0, kHostNs}, kHostNs / 2), often / 4);
    EXPECT_GE(gates_with({0, kHostNs}, 0), often / 2) << "the device is what its program waits for";
    EXPECT_LE(gates_with({100'000, 0}, 0), often / 2) << "as the device's own time says";
}

// Returns how many of ten commands have a gate before them, in a queue that is idle before each.
int gates_of_waiting(int64_t launch_ns, std::chrono::microseconds runs) {
    constexpr int kKnown = 10, kCounted = 10;
    FakeDevice device(kGates);
    device.launch_ns = launch_ns;
    device.region().header.watching = 1;
    device.slot().window_ns = 1'000'000;
    int before = 0;
    for (int next = 0; next < kKnown + kCounted; ++next) {
        if (next == kKnown) before = device.gates_inserted;
        device.enqueue(next);
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        std::this_thread::sleep_for(runs);
        while (device.step()) {
        }
        xq_sync_end(device.abi_queue(), mark);
    }
    EXPECT_GT(device.slot().command_ns, 0);
    return device.gates_inserted - before;
}

TEST(GatesApart, NoneBeforeABriefCommandThatFindsItsQueueIdle) {
    EXPECT_EQ(gates_of_waiting(500'000, std::chrono::microseconds(200)), 0);
    EXPECT_EQ(gates_of_waiting(0, std::chrono::milliseconds(20)), 10) << "a gate is no part of 20 ms";
}

}  // namespace
