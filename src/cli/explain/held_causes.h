// Explains a program that was held: the main cause, and what to do about it. Pure.
#pragma once

#include <string>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Explains why the program was held. `held`: one element of program["held"], with at least one cause.
Explained held_cause(const Json& answer, const Json& program, const Json& held);

// Explains a program that is held now, for so short a time that no hold of it is told yet, or suspended by a person.
// Returns false if it is neither.
bool find_just_held(const Json& program, Explained& result);

}  // namespace xsched::cli
