// The kinds of fake devices without gates that tests of queues use.
#pragma once

#include "fake/device/fake_device.h"
#include "support/eventually.h"

namespace xsched::test {

inline constexpr fake::Traits kHolds{};
inline constexpr fake::Traits kBuffers{.holds = false};

}  // namespace xsched::test
