// Keeps the costs of switches and calls that xcli doctor --run has measured, for xserver and xsim
// (host/device_costs.h).
#pragma once

#include <string>

#include "cli/doctor/verdicts.h"
#include "host/device_costs.h"

namespace xsched::cli {

// Returns the costs found by the steps "switch" and "gate", as far as these were run.
host::DeviceCosts costs_in(const Evidence& evidence);
// Writes the measured costs to `path`, and prints that unless `quiet`. Throws Failure if nothing was measured or the
// file cannot be written.
void keep_costs(const Evidence& evidence, const std::string& path, bool quiet);

}  // namespace xsched::cli
