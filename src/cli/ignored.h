// Tells what `xcli run` was asked for, by options or variables, and the program does not get. The main thread, before
// the program is started.
#pragma once

#include <string>

#include "cli/run_options.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Prints a line for each variable whose name is nearly that of one which XSched reads.
void tell_misspelt_variables();
// Prints a line for each variable of a time that has a bare number of microseconds which may be meant otherwise.
void tell_low_times();
// Prints a line for each hint that the server's policy does not read, and for a policy or scheduler that is asked for
// and is not the one in force.
void tell_what_is_ignored(const RunOptions& options);
// Prints a line for each hint that has no effect beside another.
void tell_contradictions(const RunOptions& options);
// Prints a line for each hint that the policy of --scheduler local does not read.
void tell_hints_of_local_policy(const RunOptions& options);
// Prints a line for the hints that have no effect where the program schedules itself. The memory limit has: the process
// keeps to it by itself.
void tell_hints_without_scheduler(const RunOptions& options);

// Returns a sentence if `policy`, asked for by `how` ("--policy", "XSCHED_POLICY="), is not the one of the server's
// answer; empty if it is.
std::string ignored_policy(const std::string& how, const std::string& policy, const Json& answer);

}  // namespace xsched::cli
