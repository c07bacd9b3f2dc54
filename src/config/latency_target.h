// Reads a latency target as people write it: 5ms, 800us, 0.5s, or 1.3x of a burst's length alone.
#pragma once

#include <string>

namespace xsched::config {

// Returns a target such as "5ms" or "1.3x" in the form of the hint (base/hints.def, kTarget): as microseconds, or as a
// negative number of percent. Other text is returned unchanged.
std::string read_latency_target(const std::string& text);

}  // namespace xsched::config
