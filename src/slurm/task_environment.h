// The environment in which a job's tasks run: the one that `xcli run` gives its program. Any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xsched::slurm {

// Splits "NAME=VALUE" texts that end with a zero byte each (env -0).
std::vector<std::string> split_environment(const std::string& text);
// Returns the variables of `after` that `before` does not have with the same value.
std::vector<std::pair<std::string, std::string>> changes(const std::vector<std::string>& before,
                                                         const std::vector<std::string>& after);

}  // namespace xsched::slurm
