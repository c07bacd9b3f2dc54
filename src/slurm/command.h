// Runs another program and reads what it prints. The calling process waits, for a bounded time.
#pragma once

#include <string>
#include <vector>

namespace xsched::slurm {

struct Printed {
    bool well = false;  // it has ended with status 0 in time
    std::string text;   // its standard output
};

// Runs the program of that path. `environment`: "NAME=VALUE" of all its variables. Its standard error is the caller's.
Printed run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment);

}  // namespace xsched::slurm
