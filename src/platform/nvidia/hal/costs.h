// The cost of taking a process off an NVIDIA GPU, whichever interface it uses.
#pragma once

#include "queue/device.h"

namespace xsched::nvidia {

// Measured on an H100 (docs/decisions/003). off_us includes the time in which the agent wakes.
inline constexpr XqCosts kCosts{
    .switch_us = 175, .off_us = 700, .most_off_us = 3000, .effect_us = 300, .interrupt_us = 500};

}  // namespace xsched::nvidia
