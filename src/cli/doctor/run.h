// xcli doctor --run: tries on this machine, in child processes, what plain doctor only looks for, and says for each
// preempt level whether to use it.
#pragma once

#include "cli/doctor/asked.h"

namespace xsched::cli {

// Returns the exit status. 0: every requested level is to be used, or the platform lacks it. 1: a level is not to be
// used. 2: nothing could be tried.
int run_doctor(const DoctorRun& asked);

}  // namespace xsched::cli
