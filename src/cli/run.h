// xcli run: executes a program with the shims loaded, a server at hand and its queues' settings in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/hint_words.h"

namespace xsched::cli {

struct RunOptions {
    HintWords hints;
    std::optional<int64_t> level;
    std::optional<int64_t> threshold;
    std::optional<int64_t> batch_size;
    std::string policy;
    std::string scheduler = "global";
    std::string log_level;
    bool tells = false;   // when the program has ended, says so if it was not scheduled; otherwise where
    bool leaves = false;  // standard error is a terminal, unless this says no
};

// `xcli run` and `xcli report` pass everything from the program's name on to the program, with "--" before it or
// without. Returns where our own words end; all their options take one value, but for the flags.
int split_off_program(int argc, char** argv, std::vector<std::string>& program);

// This process becomes the program. Returns only if it cannot: 127 (not found) or 126 (cannot be executed), with a
// sentence on standard error; or throws Failure if no program is given.
int run_program(const RunOptions& options, const std::vector<std::string>& program);

}  // namespace xsched::cli
