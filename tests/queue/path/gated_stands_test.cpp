// A gated queue of which all that is left waits for what the device does not end.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "queue/gated_device.h"

namespace {

using xsched::fake::FakeDevice;
using namespace xsched::test;

constexpr int kWait = 1000;  // the command that waits
constexpr int kBehind = 2000;

class GatedStand : public testing::Test {
protected:
    void SetUp() override {
        device.region().header.watching = 1;
        device.enqueue(0);  // from here on its words are bound
        device.queue().report_all();
        run();
    }
    void TearDown() override { open(); }

    void launch_wait() { device.driver_launch({kWait, nullptr, 0, &value_}); }
    void wait(uint32_t outcome = kXqSucceeded) {
        XqTicket ticket;
        xq_admit_wait(device.abi_queue(), &ticket);
        if ((outcome & kXqSucceeded) != 0) launch_wait();
        xq_launched(device.abi_queue(), &ticket, outcome);
    }
    void close() { __atomic_store_n(&value_, 0, __ATOMIC_RELEASE); }
    void open() { __atomic_store_n(&value_, 1, __ATOMIC_RELEASE); }
    void run() {
        while (device.step()) {
        }
    }
    bool has_run(int id) {
        const std::vector<int> all = device.executed();
        return std::find(all.begin(), all.end(), id) != all.end();
    }
    bool stands() { return xsched::ipc::work_of(device.slot()).stands; }
    bool ready() { return xsched::ipc::work_of(device.slot()).ready; }

private:
    uint32_t value_ = 0;  // what the wait is for; outlives the device

protected:
    FakeDevice device{kGates};
};

TEST_F(GatedStand, IsReadyUntilTheWaitAndAgainOnceThatIsOver) {
    for (const uint32_t outcome : {uint32_t{kXqSucceeded}, uint32_t{kXqSucceeded | kXqReportLater}}) {
        close();
        device.enqueue(1);
        wait(outcome);
        device.enqueue(outcome == kXqSucceeded ? kBehind : kBehind + 1);
        EXPECT_TRUE(ready()) << "a command is before the wait";
        run();
        EXPECT_TRUE(stands());
        device.enqueue(3);
        EXPECT_TRUE(stands()) << "order keeps it behind the wait";
        open();
        ASSERT_TRUE(device.step());
        ASSERT_TRUE(device.step());
        ASSERT_FALSE(has_run(outcome == kXqSucceeded ? kBehind : kBehind + 1));
        EXPECT_TRUE(ready()) << "the device itself says that the wait is over, before the next command runs";
        run();
        device.queue().report_all();
        run();
        EXPECT_FALSE(ready());
        EXPECT_FALSE(stands());
    }
}

TEST_F(GatedStand, AnIdleQueueDoesNotBecomeReadyByAWait) {
    const uint32_t rings = device.region().header.doorbell;
    XqTicket ticket;
    xq_admit_wait(device.abi_queue(), &ticket);
    EXPECT_TRUE(stands()) << "also while the call is on its way";
    EXPECT_GT(device.region().header.doorbell, rings) << "the scheduler must look for its end";
    launch_wait();
    xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
    EXPECT_TRUE(stands());
}

TEST_F(GatedStand, ARefusedWaitKeepsNothing) {
    wait(kXqFailed);
    device.enqueue(1);
    EXPECT_TRUE(ready());
    run();
    EXPECT_TRUE(has_run(1));
}

// A command that was admitted before the wait does not count as standing behind it, since the driver may get that
// command first.
TEST_F(GatedStand, ACommandOnItsWayIsNotBehindTheWait) {
    XqTicket earlier;
    xq_admit(device.abi_queue(), &earlier);
    wait();
    EXPECT_TRUE(ready());
    device.driver_launch({1, nullptr, 0});
    xq_launched(device.abi_queue(), &earlier, kXqSucceeded);
    run();
    EXPECT_TRUE(ready()) << "whatever is not known for sure counts as work";
}

TEST_F(GatedStand, ACommandThatComesBeforeTheWaitHasReturnedIsNotBehindItEither) {
    XqTicket ticket;
    xq_admit_wait(device.abi_queue(), &ticket);
    EXPECT_TRUE(stands());
    device.enqueue(1);
    EXPECT_TRUE(ready());
    launch_wait();
    xq_launched(device.abi_queue(), &ticket, kXqSucceeded);
    EXPECT_TRUE(ready());
    open();
    run();
    device.queue().report_all();
    run();
    EXPECT_FALSE(ready());
}

// With its gate in front of the wait, a suspended queue would never become ready, so it would never get a turn, and its
// gate would stay closed.
TEST_F(GatedStand, ASuspendedQueueHasItsGateBehindTheWait) {
    direct(device, true);
    wait();
    device.enqueue(1);
    run();
    EXPECT_TRUE(stands());
    open();
    run();
    EXPECT_TRUE(has_run(kWait));
    EXPECT_FALSE(has_run(1));
    EXPECT_TRUE(ready());
    direct(device, false);
    run();
    EXPECT_TRUE(has_run(1));
}

// A victim may be suspended while its queue stands at a wait, so a gate follows each wait.
TEST_F(GatedStand, AVictimHasAGateBehindEachWait) {
    device.slot().window_ns = xsched::base::kMillisecond;
    for (int i = 1; i < 20; ++i) device.enqueue(i);
    wait();
    const int gates = device.gates_inserted;
    device.enqueue(20);
    EXPECT_EQ(device.gates_inserted, gates + 1);
    run();
    direct(device, true);
    open();
    run();
    EXPECT_TRUE(has_run(kWait));
    EXPECT_FALSE(has_run(20));
    direct(device, false);
    run();
    EXPECT_TRUE(has_run(20));
}

TEST_F(GatedStand, WithoutOnlookersAWaitCostsNothing) {
    device.region().header.watching = 0;
    const int reports = device.progress_written;
    for (int i = 1; i < 10; ++i) {
        wait();
        device.enqueue(i);
    }
    EXPECT_EQ(device.progress_written, reports);
    EXPECT_EQ(device.gates_inserted, 0);
    device.region().header.watching = 1;
    EXPECT_TRUE(ready());
}

// Many waits in a row make few reports: each report takes a place in the driver's queue, which would be full earlier
// than without XSched.
TEST_F(GatedStand, ManyWaitsHaveFewReports) {
    constexpr int kMany = 40;
    const auto reports_of = [&](const auto& launch_first) {
        const int before = device.progress_written;
        for (int i = 1; i <= kMany; ++i) {
            launch_first();
            device.enqueue(i);
        }
        return device.progress_written - before;
    };
    const int without = reports_of([&] { device.enqueue_marker(0); });
    device.queue().report_all();
    run();
    EXPECT_LE(reports_of([&] { wait(kXqSucceeded | kXqReportLater); }), without + 2 * xsched::ipc::kMostStands + 1);
    EXPECT_TRUE(stands());
    open();
    run();
    EXPECT_TRUE(has_run(kMany));
}

TEST_F(GatedStand, TimeInWhichItStoodIsNotTheDevices) {
    constexpr auto kStood = std::chrono::milliseconds(60);
    const auto look = [&] {  // as the scheduler has its agent do
        ++device.slot().ask;
        device.queue().look_if_asked();
    };
    for (const bool looks : {true, false}) {
        const int64_t before_ns = device.slot().busy_ns;
        close();
        wait();
        device.enqueue(1);
        run();
        if (looks) look();
        std::this_thread::sleep_for(kStood);
        open();
        ASSERT_TRUE(device.step());
        ASSERT_TRUE(device.step());
        if (looks) look();
        run();
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        xq_sync_end(device.abi_queue(), mark);
        EXPECT_LT(device.slot().busy_ns - before_ns, 30'000'000) << looks;
    }
}

TEST_F(GatedStand, InOtherMemoryItCountsAsWork) {
    wait();
    device.enqueue(1);
    ASSERT_TRUE(stands());
    const auto region = std::make_unique<xsched::ipc::Region>();
    device.queue().attach({&region->header, &region->slots[0]});
    EXPECT_TRUE(xsched::ipc::work_of(region->slots[0]).ready);
    EXPECT_FALSE(stands()) << "and in the old one nothing is left";
    device.queue().attach({&device.region().header, &device.region().slots[device.queue().index()]});
}

}  // namespace
