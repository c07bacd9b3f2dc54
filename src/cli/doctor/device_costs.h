// The costs of switches and calls that xcli doctor --run has measured, kept for xserver and xsim (host/device_costs.h).
#pragma once

#include <string>

#include "cli/doctor/verdicts.h"
#include "host/device_costs.h"

namespace xsched::cli {

// Of the steps "switch" and "gate"; without those that were not done.
host::DeviceCosts costs_in(const Evidence& evidence);
// Writes them to `path`, and says so unless it is to be `quiet`. Throws Failure if nothing was measured, or it cannot
// be written.
void keep_costs(const Evidence& evidence, const std::string& path, bool quiet);

}  // namespace xsched::cli
