// A fake device for tests of keep-alives: its queue may be asked for keep-alives, and it notes each that it gets.
#pragma once

#include <gtest/gtest.h>

#include "base/clock.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "queue/devices.h"

namespace xsched::test {

class KeepAlives : public ::testing::Test {
protected:
    void SetUp() override {
        header().watching = 1;
        header().keep_alive_wanted = 1;
        device.enqueue(0);
        device.queue().keep_alive().prepare_if_asked();
        while (device.step()) {
        }
        others_are_kept_off(true);
    }
    ipc::Header& header() { return device.region().header; }
    void others_are_kept_off(bool on) { header().keep_alive_until_ns = on ? base::now_ns() + base::kSecond * 3600 : 0; }
    // Returns whether the last keep-alive asked for has been told to end.
    bool ended() { return *device.keep_alive_word > device.keep_alives.back().number; }
    // Returns whether something was launched behind the last keep-alive, which therefore ends soon.
    bool followed() { return *device.keep_alive_word == device.keep_alives.back().number; }

    fake::FakeDevice device{kInterruptible};
};

}  // namespace xsched::test
