// xcli doctor: shows what this machine offers to XSched, by platform and preempt level, with a reason for every "no".
// It looks at files and asks the kernel; it loads no vendor library and uses no device.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.h"
#include "cli/doctor/machine.h"
#include "cli/installation.h"

namespace xsched::cli {

Platform look_at_xsched(const Installation& installation);
Platform look_at_system();
// Declares each platform's own part (src/platform/<p>/doctor.cpp).
#define PLATFORM(name, ...) Platform look_at_##name(const Machine& machine, const Installation& installation);
#include "platforms.inc"
// Declares facts for `--run` that say nothing for or against a level.
#define PLATFORM(name, ...) std::vector<Finding> settings_of_##name(const Machine& machine);
#include "platforms.inc"

// Prints the findings. `root`: see Machine. The exit status does not depend on the findings.
int show_doctor(const std::string& root, bool json);

}  // namespace xsched::cli
