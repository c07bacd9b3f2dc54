// Reads TOML. A line that cannot be read costs this line alone, or its table if it begins one or belongs to a list of
// tables: a rule that has lost a condition would hold for other programs. Any thread.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace xsched::config {

// Returns the tree of the text, and adds a problem for each line that could not be read. `file`: its name in these.
Node read_toml(std::string text, const std::string& file, std::vector<Problem>& problems);

}  // namespace xsched::config
