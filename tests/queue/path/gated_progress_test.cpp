// The progress that the device of a gated queue reports, and its meaning.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/time.h"
#include "queue/gated_device.h"
#include "support/eventually.h"
#include "xsched/xqueue.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;
using namespace xsched::test;

// Time for which a queue was idle or suspended does not count as device time of the commands that come then.
TEST(GatedProgress, AnIdleQueueThatIsSuspendedTakesNoTime) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    for (int round = 0; round < 3; ++round) {
        direct(device, true);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        device.enqueue(round);
        direct(device, false);
        while (device.step()) {
        }
        for (int i = 0; i < 64; ++i) device.enqueue(100);  // one of them looks how far the device is
        while (device.step()) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    EXPECT_LT(device.slot().command_ns, 20'000'000);
    EXPECT_LT(device.slot().busy_ns, 200'000'000) << "what is seen late counts until then, and no more";
}

// A queue that no thread follows: the time from its first launch to the end of the program's wait counts as its device
// time, and pauses do not.
TEST(GatedProgress, AQueueThatIsLeftAloneTellsItsTimeWhenItsProgramWaits) {
    FakeDevice device(kGates);
    constexpr int64_t kWorkNs = 20 * xsched::base::kMillisecond;
    const auto burst = [&](int commands) {
        const int64_t began_ns = xsched::base::now_ns();
        for (int i = 0; i < commands; ++i) device.enqueue(i);
        xsched::base::sleep_ns(kWorkNs);
        while (device.step()) {
        }
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        xq_sync_end(device.abi_queue(), mark);
        return xsched::base::now_ns() - began_ns;
    };
    int64_t most_ns = 0;
    for (int i = 1; i <= 3; ++i) {
        most_ns += burst(i);
        EXPECT_GE(device.slot().busy_ns, i * kWorkNs);
        EXPECT_LE(device.slot().busy_ns, most_ns);
        xsched::base::sleep_ns(3 * kWorkNs);
    }
    EXPECT_EQ(device.progress_written, 0) << "no call of the driver more";
}

// The program waits for its commands one by one, but has always launched the next one before, so the queue is never
// idle. All the time then counts as the queue's device time.
TEST(GatedProgress, AQueueThatIsLeftAloneAndNeverIdleHasAllTheTime) {
    FakeDevice device(kGates);
    const int64_t began_ns = xsched::base::now_ns();
    device.enqueue(0);
    for (int i = 1; i < 20; ++i) {
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        device.enqueue(i);
        xsched::base::sleep_ns(xsched::base::kMillisecond);
        device.step();
        xq_sync_end(device.abi_queue(), mark);
        EXPECT_NEAR(device.slot().busy_ns, xsched::base::now_ns() - began_ns, 1e6);
    }
}

// An event's record is a command of no length: kernels with one behind each are as long as without.
TEST(GatedProgress, MarkersDoNotMakeCommandsShorter) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    constexpr int kWorks = 200;
    for (int i = 0; i < 10; ++i) device.enqueue(0);  // from here on it is known when something completes
    while (device.step()) {
    }
    for (int i = 1; i <= kWorks; ++i) {
        device.enqueue(2 * i);
        device.enqueue_marker(2 * i + 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    while (device.step()) {
    }
    for (int i = 0; i < 64; ++i) device.enqueue(0);  // one of them looks how far the device is
    EXPECT_GE(device.slot().command_ns, 50'000'000 / (kWorks * 3 / 2)) << "half as long, if they counted";
}

// The program launches and makes no further call. The queue's memory shows which commands the device has begun; only
// the end of the last one is presumed.
TEST(GatedProgress, MemoryTellsHowFarASilentQueueIs) {
    constexpr Traits kReads{.levels = kLevels, .gated = true, .reads = true};
    FakeDevice device(kReads);
    device.region().header.watching = 1;
    for (int i = 0; i < 6; ++i) device.enqueue(i);
    EXPECT_EQ(device.noted, 6u);
    EXPECT_EQ(device.slot().unreported, 7u) << "it will be told of all";
    const auto look = [&] {
        ++device.slot().ask;
        device.queue().look_if_asked();
    };
    device.complete = 2;
    device.begun = 3;
    look();
    EXPECT_EQ(device.slot().completed, 2u);
    EXPECT_EQ(device.slot().unreported, 7u) << "nothing is presumed of what the device has not begun";
    device.complete = 5;
    device.begun = 6;
    look();
    EXPECT_EQ(device.slot().completed, 5u);
    EXPECT_EQ(device.slot().unreported, 6u) << "no more is heard of the last one";
    device.enqueue(6);
    EXPECT_EQ(device.slot().unreported, 8u);
    device.complete = device.begun = 7;
    look();
    EXPECT_EQ(device.slot().completed, 7u);
    while (device.step()) {
    }
}

// The end of a queue's work is not presumed if a report behind its last command will come.
TEST(GatedProgress, WhatReportsItselfIsNotPresumed) {
    constexpr Traits kReads{.levels = kLevels, .gated = true, .reads = true};
    FakeDevice device(kReads);
    device.region().header.watching = 1;
    for (int i = 0; i < 3; ++i) device.enqueue(i);
    device.queue().report_all();
    device.complete = 2;
    device.begun = 3;
    ++device.slot().ask;
    device.queue().look_if_asked();
    EXPECT_EQ(device.slot().unreported, 4u);
    while (device.step()) {
    }
}

TEST(GatedProgress, WatchedReadinessComesFromTheDevice) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    device.enqueue(0);
    device.queue().report_all();
    EXPECT_NE(device.slot().submitted, xsched::ipc::completed_commands(device.slot()));
    while (device.step()) {
    }
    EXPECT_EQ(device.slot().submitted, xsched::ipc::completed_commands(device.slot()));
    EXPECT_FALSE(device.queue().ready());
    const uint32_t rings = device.region().header.doorbell;
    device.enqueue(1);
    EXPECT_GT(device.region().header.doorbell, rings) << "idle -> ready is rung";
}

// A wait in the stream may depend on a value that the calling thread writes next, so no report is made in that call;
// the next command makes it.
TEST(GatedProgress, WhatMayNotKeepItsCallerIsReportedByTheNextCommand) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    device.slot().window_ns = 1'000'000;  // each command's report matters
    for (int i = 0; i < 8; ++i) {
        XqTicket ticket{};
        xq_admit(device.abi_queue(), &ticket);
        const int before = device.progress_written;
        xq_launched(device.abi_queue(), &ticket, kXqSucceeded | kXqReportLater);
        EXPECT_EQ(device.progress_written, before);
    }
    XqTicket ticket{};
    xq_admit(device.abi_queue(), &ticket);
    xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
    EXPECT_EQ(device.progress_written, 1);
}

TEST(GatedProgress, ASynchronizeThatReturnedSaysIdle) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    device.enqueue(0);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    while (device.step()) {
    }
    const uint32_t rings = device.region().header.doorbell;
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_EQ(device.slot().completed, device.slot().submitted);
    EXPECT_GT(device.region().header.doorbell, rings);
}

// The command counts from its admission on, but its driver call may come long after the report that another thread asks
// for: a queue that seems idle with work behind its closed gate would never be opened again.
TEST(GatedProgress, AReportSaysNothingOfACallOnItsWay) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    XqTicket on_its_way;
    xq_admit(device.abi_queue(), &on_its_way);
    device.queue().report_all();
    while (device.step()) {
    }
    EXPECT_TRUE(device.queue().ready());
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    xq_sync_end(device.abi_queue(), mark);
    EXPECT_TRUE(device.queue().ready()) << "a synchronize did not wait for it either";
    EXPECT_EQ(on_its_way.mark, 1u) << "but its own would";
    device.driver_launch({0, nullptr, 0});
    xq_launched(device.abi_queue(), &on_its_way, kXqSucceeded);
    while (device.step()) {
    }
    EXPECT_FALSE(device.queue().ready()) << "the report that was asked for came with the call";
}

// A report costs the device as much as a gate, so a victim's events are not reported one by one.
TEST(GatedProgress, AVictimsEventsDoNotReportOneByOne) {
    for (const bool victim : {false, true}) {
        FakeDevice device(kGates);
        device.region().header.watching = 1;
        device.slot().window_ns = victim ? xsched::base::kMillisecond : 0;
        for (int i = 0; i < 400; ++i) {
            device.enqueue(i);
            xq_report_marker(device.abi_queue(), kXqCanAsk);
            while (device.step()) {
            }
        }
        if (victim)
            EXPECT_LT(device.progress_written, 200);
        else
            EXPECT_GE(device.progress_written, 399);
        const int before = device.progress_written;
        device.enqueue(400);
        xq_report_marker(device.abi_queue(), kXqNobodyCanAsk);
        EXPECT_GT(device.progress_written, before) << "nobody could ask";
        device.queue().report_all();
        while (device.step()) {
        }
        EXPECT_FALSE(device.queue().ready());
    }
}

TEST(GatedProgress, ReportsOfSeveralThreadsEndAtTheLastCommand) {
    FakeDevice device(kGates);
    device.region().header.watching = 1;
    device.run_freely();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) {
                device.enqueue(i);
                xq_report_marker(device.abi_queue(), kXqCanAsk);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(eventually([&] { return !device.queue().ready(); }));
}

}  // namespace
