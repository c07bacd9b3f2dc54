// xcli run: executes a program with the shims loaded, a server running, and its queues' settings in the environment.
#pragma once

#include <string>
#include <vector>

#include "cli/run_options.h"

namespace xsched::cli {

// Splits the command line at the program's name; everything from there on belongs to the program, with "--" before it
// or without. Returns where our own words end. All options before it take one value, except flags.
int split_off_program(int argc, char** argv, std::vector<std::string>& program);

// Becomes the program. Returns only if that fails: 127 (not found) or 126 (cannot be executed), with a sentence on
// standard error. Throws Failure if no program is given.
int run_program(const RunOptions& options, const std::vector<std::string>& program);

}  // namespace xsched::cli
