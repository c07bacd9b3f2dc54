// Explains a program that waits for copies of memory: its own, or another program's. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Explains by copies why the program is slow. `others`: programs with a queue on one of its devices. Returns false if
// the program does not copy, or if no copy is large enough to matter. `answer`: the server's, for the advice.
bool find_copies(const Json& answer, const Json& program, const std::vector<const Json*>& others, Explained& result);

}  // namespace xsched::cli
