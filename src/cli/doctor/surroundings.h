// Facts about a machine that help a developer far away, beyond the findings: kernel, load, memory, variables, and files
// that the platform's driver shows. One thread.
#pragma once

#include <string>

#include "cli/doctor/machine.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Returns the facts named above. `patterns`: paths of the driver's files, separated by spaces; a '*' matches part of
// one name.
Json surroundings(const Machine& machine, const std::string& patterns);

}  // namespace xsched::cli
