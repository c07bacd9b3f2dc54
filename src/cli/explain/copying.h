// Whether copies of memory are what a program waits for, its own or another's. Pure.
#pragma once

#include <vector>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// `others`: programs with a queue on one of its devices. False: it does not copy, or nothing of a size that matters.
bool find_copies(const Json& program, const std::vector<const Json*>& others, Explained& result);

}  // namespace xsched::cli
