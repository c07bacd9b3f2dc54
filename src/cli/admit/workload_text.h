// Writes a situation as a workload of xsim (docs/xsim.md). Pure; any thread.
#pragma once

#include <string>

#include "cli/admit/situation.h"

namespace xsched::cli {

// Returns the workload. All of its programs must be known. Programs are in the situation's order, one process each.
std::string workload_text(const Situation& situation);

}  // namespace xsched::cli
