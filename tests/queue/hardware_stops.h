// The common part of the tests of levels 2 and 3 (running work is stopped in the hardware): writes directives as
// xserver does.
#pragma once

#include <unistd.h>

#include "base/clock.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "queue/devices.h"

namespace xsched::test {

// Writes a directive into the slot as xserver does.
inline void direct(fake::FakeDevice& device, bool suspended, bool interrupt, int32_t by_pid = getpid()) {
    ipc::QueueSlot& slot = device.slot();
    slot.by_pid = by_pid;
    slot.interrupt = interrupt ? 1 : 0;
    slot.directed_ns = base::now_ns();
    slot.suspended = suspended ? 1 : 0;
    ipc::settle_gate(slot);
    device.queue().apply_directive();
}

// Enqueues a first command, at which the backend is told where the queue's words are in memory.
inline void make_words_known(fake::FakeDevice& device) {
    device.slot().window_ns = base::kMillisecond;
    device.enqueue(0);
    while (device.step()) {
    }
}

}  // namespace xsched::test
