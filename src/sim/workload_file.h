// A workload as a TOML file says it (docs/xsim.md). Any thread.
#pragma once

#include <string>

#include "sim/workload.h"

namespace xsched::sim {

// Throws std::runtime_error: a sentence with the file, the line and what is wrong there.
Workload read_workload(const std::string& path);
Workload parse_workload(const std::string& text, const std::string& name = "workload");

}  // namespace xsched::sim
