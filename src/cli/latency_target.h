// A latency target as people write it: 5ms, 800us, 0.5s, or 1.3x of what a burst takes alone.
#pragma once

#include <string>

namespace xsched::cli {

// As the hint has it (base/hints.def, kTarget): microseconds, or percent below 0. Text that is neither stays as it is.
std::string read_latency_target(const std::string& text);

}  // namespace xsched::cli
