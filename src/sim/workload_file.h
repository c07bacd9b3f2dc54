// Reads a workload from a TOML file (docs/xsim.md). Any thread.
#pragma once

#include <string>

#include "sim/workload.h"

namespace xsched::sim {

// Throws std::runtime_error with the file, the line and the error.
Workload read_workload(const std::string& path);
Workload parse_workload(const std::string& text, const std::string& name = "workload");

}  // namespace xsched::sim
