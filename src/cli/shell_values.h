// The values that the completion of a shell offers for an option or argument (`xcli complete KIND`).
#pragma once

#include <string>

namespace xsched::cli {

// Returns a line for each value of a kind, with a tab and what it is behind it. `kind` is the name of the value in the
// help: ENABLED, POLICY, PROGRAM, QUEUE, DEVICE. Empty for any other kind, or if no server answers.
std::string shell_values(const std::string& kind);

}  // namespace xsched::cli
