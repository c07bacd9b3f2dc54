// Reads a latency target as people write it: 5ms, 800us, 0.5s, or 1.3x of a burst's length alone.
#pragma once

#include <string>

namespace xsched::config {

// Returns it as the hint has it (base/hints.def, kTarget): microseconds, or percent as a negative number. Other text is
// returned unchanged.
std::string read_latency_target(const std::string& text);

}  // namespace xsched::config
