// xcli doctor --run: tries on this machine what doctor else only looks for, in child processes, and says for each
// preempt level whether to use it.
#pragma once

#include "cli/doctor/asked.h"

namespace xsched::cli {

// The exit status: 0 every level that was asked for is to be used (or the platform has none such), 1 one is not, 2
// nothing could be tried.
int run_doctor(const DoctorRun& asked);

}  // namespace xsched::cli
