// The facts about a machine that help a person far away, besides the doctor's findings: its kernel, load, memory,
// variables, and the files that a platform's driver shows. One thread.
#pragma once

#include <string>

#include "cli/doctor/machine.h"
#include "cli/server_link.h"

namespace xsched::cli {

// `patterns`: paths of files, with spaces between them; a '*' stands for a part of one name.
Json surroundings(const Machine& machine, const std::string& patterns);

}  // namespace xsched::cli
