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
};

// Does not return if the program could be executed: its exit status is then ours. Else 127 (not found) or 126 (cannot
// be executed), with a sentence on standard error, or 2 (Failure) if no program is given.
int run_program(const RunOptions& options, const std::vector<std::string>& program);

}  // namespace xsched::cli
