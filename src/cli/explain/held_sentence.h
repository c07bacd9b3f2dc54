// How long a program was held, and behind which other one. Pure.
#pragma once

#include <string>

#include "cli/server_link.h"

namespace xsched::cli {

// Returns, for example, "pid 812 (server, priority 10)".
std::string whom(const Json& by);
// Returns whether the hold has been over for a second or longer.
bool is_over(const Json& held, const Json& program);
// Returns "held 41.0 ms in the last second: 37 times behind pid 1002 (server, priority 10), longest 2.1 ms".
std::string held_sentence(const Json& held, const Json& program);

}  // namespace xsched::cli
