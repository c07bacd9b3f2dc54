// The kinds of fake devices that tests of queues use.
#pragma once

#include "fake/device/fake_device.h"
#include "support/eventually.h"

namespace xsched::test {

inline constexpr fake::Traits kHolds{};
inline constexpr fake::Traits kBuffers{.holds = false};
inline constexpr fake::Traits kInterruptible{.levels = 0b1110, .gated = true};

}  // namespace xsched::test
