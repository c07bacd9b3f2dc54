// xcli run: executes a program with the shims loaded, a server running, and its queues' settings in the environment.
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
    bool tells = false;   // says at the program's end if it was not scheduled; otherwise says where to see it
    bool leaves = false;  // do not say it, although standard error is a terminal
};

// Splits the command line at the program's name; everything from there on belongs to the program, with "--" before it
// or without. Returns where our own words end. All options before it take one value, except flags.
int split_off_program(int argc, char** argv, std::vector<std::string>& program);

// Becomes the program. Returns only if that fails: 127 (not found) or 126 (cannot be executed), with a sentence on
// standard error. Throws Failure if no program is given.
int run_program(const RunOptions& options, const std::vector<std::string>& program);

}  // namespace xsched::cli
