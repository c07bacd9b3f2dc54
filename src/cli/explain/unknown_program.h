// Says why the server does not know a program. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"

namespace xsched::cli {

// Returns why the server does not know the program. `status`: the server's answer to "status". `name`: the number of a
// process, or a part of a program's name.
std::string why_unknown(const Json& status, const std::string& name);

// Says that no program has this name, and which one was probably meant.
std::string no_such_program(const std::vector<Json>& programs, const std::string& name);
// Returns a sentence if the process runs, and XSched is not loaded into it, as far as the system lets this user see.
std::string runs_without(const std::string& pid);

}  // namespace xsched::cli
