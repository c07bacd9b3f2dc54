// Runs another program and reads what it prints. The calling process waits, for a bounded time.
#pragma once

#include <string>
#include <vector>

namespace xsched::console {

struct Printed {
    bool well = false;  // it has ended with status 0 in time
    std::string text;   // its standard output
};

// Runs the program of that path. `environment`: "NAME=VALUE" of all its variables. Its standard error is the caller's,
// or, with kTogether, part of the text.
enum class Errors { kApart, kTogether };
Printed run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                    Errors errors = Errors::kApart);
// Returns "NAME=VALUE" of all variables of this process.
std::vector<std::string> own_environment();

}  // namespace xsched::console
