// Work that was off the device is put back a second time: the hardware may have missed the first call, or the driver's
// count of stops may still be above zero.
#include <gtest/gtest.h>

#include "queue/hardware_stops.h"

namespace xsched {
namespace {

using fake::FakeDevice;
using test::direct;
using test::make_words_known;

TEST(PutBack, WhatWasKeptOffIsPutBackOnceMore) {
    FakeDevice device(test::kInterruptible);
    const auto keep_off = [&] {
        direct(device, true, false);
        device.slot().interrupt = static_cast<uint32_t>(ipc::Interrupt::kKeptOff);
        device.queue().apply_directive();
    };
    keep_off();
    EXPECT_EQ(device.queue().watch_interrupt(base::now_ns()), 0) << "it is off";
    direct(device, false, false);
    EXPECT_EQ(device.restored, 1);
    const int64_t due_ns = device.queue().watch_interrupt(base::now_ns());
    ASSERT_GT(due_ns, base::now_ns());
    EXPECT_EQ(device.restored, 1) << "not yet";
    const int64_t again_ns = device.queue().watch_interrupt(due_ns);
    EXPECT_EQ(device.restored, 2);
    EXPECT_EQ(device.queue().watch_interrupt(again_ns), 0);
    EXPECT_EQ(device.restored, 2) << "once: it has nothing to do";

    keep_off();
    direct(device, false, false);
    EXPECT_EQ(device.restored, 3);
    keep_off();
    EXPECT_EQ(device.queue().watch_interrupt(base::now_ns() + base::kSecond), 0) << "it is off again";
    EXPECT_EQ(device.restored, 3);
    direct(device, false, false);
    device.region().header.outside_stopped = 1;
    const int64_t later_ns = device.queue().watch_interrupt(base::now_ns() + base::kSecond);
    EXPECT_NE(later_ns, 0);
    EXPECT_EQ(device.restored, 4) << "xserver acts for this process";
    device.region().header.outside_stopped = 0;
    device.queue().watch_interrupt(later_ns);
    EXPECT_EQ(device.restored, 5);
}

class StandsAfterwards : public ::testing::Test {
protected:
    // Calls watch_interrupt until nothing is due. Returns how often work was put back.
    int put_back_again() {
        const int before = device.restored;
        int64_t due_ns = device.queue().watch_interrupt(0);
        for (int i = 0; due_ns != 0 && i < 100; ++i) due_ns = device.queue().watch_interrupt(due_ns);
        EXPECT_EQ(due_ns, 0);
        return device.restored - before;
    }
    FakeDevice device{test::kInterruptible};
};

// Work that was taken off and then may run is put back again and again, ever less often, until it completes something.
// The device may have missed the call, or the driver may have counted one stop too many.
TEST_F(StandsAfterwards, WhatWasTakenOffIsPutBackAgainAsLongAsItStands) {
    make_words_known(device);
    device.enqueue(0);
    direct(device, true, true);
    direct(device, false, false);
    EXPECT_EQ(put_back_again(), 7) << "after 20, 40, 80, ... ms, less and less often";
    direct(device, true, true);
    direct(device, false, false);
    device.slot().progress = 2;
    EXPECT_EQ(put_back_again(), 0) << "it has got on";
}

TEST_F(StandsAfterwards, LikewiseWhatXserverHadTakenOff) {
    make_words_known(device);
    device.enqueue(0);
    direct(device, true, false);
    device.slot().interrupt = static_cast<uint32_t>(ipc::Interrupt::kTogether);
    device.queue().apply_directive();
    EXPECT_EQ(device.queue().watch_interrupt(base::now_ns()), 0);
    direct(device, false, false);
    EXPECT_EQ(device.interrupted, 0);
    EXPECT_EQ(put_back_again(), 7);
    direct(device, true, false);
    direct(device, false, false);
    EXPECT_EQ(put_back_again(), 0) << "it was not off the device";
}

TEST(PutBack, WhatWasTakenOffIsPutBackOnce) {
    FakeDevice device(test::kInterruptible);
    direct(device, true, true);
    direct(device, false, false);
    EXPECT_EQ(device.queue().watch_interrupt(base::now_ns() + base::kSecond), 0) << "it has nothing to do";
    EXPECT_EQ(device.restored, 1);
}

}  // namespace
}  // namespace xsched
