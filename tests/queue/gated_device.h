// The common part of the tests of gated queues: a fake device with gates, and directives as the scheduler would write
// them.
#pragma once

#include "base/clock.h"
#include "fake/device/fake_device.h"
#include "ipc/layout.h"
#include "support/eventually.h"

namespace xsched::test {

inline constexpr uint32_t kLevels = 0b0110;
inline constexpr fake::Traits kGates{.levels = kLevels, .gated = true};

// Writes a directive into the slot as xserver does.
inline void direct(fake::FakeDevice& device, bool suspend) {
    device.slot().directed_ns = base::now_ns();
    device.slot().suspended = suspend ? 1 : 0;
    ipc::settle_gate(device.slot());
    ipc::ring_directive(device.region().header);
}

}  // namespace xsched::test
