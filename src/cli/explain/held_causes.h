// Explains a program that was held: the main cause, and what to do about it. Pure.
#pragma once

#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Explains why the program was held. `held`: one element of program["held"], with at least one cause.
Explained held_cause(const Json& answer, const Json& program, const Json& held);

}  // namespace xsched::cli
