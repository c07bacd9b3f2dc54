// Draws xcli top as lines of text with marks, for a window of any size. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/top/columns.h"

namespace xsched::cli {

// Returns the programs in the order in which the view shows them.
std::vector<TopRow> top_order(const TopRows& rows, const TopView& view);
// Returns exactly as many lines as fit. Leaves out programs for which there is no room, but never the chosen one.
std::vector<TopLine> top_picture(const TopRows& rows, const TopView& view);
// Returns all programs, `columns` wide, for output that is no terminal.
std::string top_text(const TopRows& rows, TopView view);

}  // namespace xsched::cli
