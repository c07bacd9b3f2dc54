// The columns of xcli top: which of them a window has, and their texts. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/top/look.h"

namespace xsched::cli {

// Returns the line of headings.
std::string top_headings(const TopRows& rows, const TopView& view);
// Returns the heading of the column by which the programs are sorted.
std::string top_heading(TopSort sort);
// Returns whether the window has that column.
bool top_shows(TopSort sort, const TopRows& rows, const TopView& view);
// Returns the line of a program. `indent` spaces stand before its name.
std::string top_line(const TopRows& rows, const TopRow& row, const TopView& view, size_t indent);

// Returns, for example, "[####  ]  61"; a bar with its percentage. `width` counts the whole text in characters.
std::string top_bar(double percent, size_t width, bool utf8);
// Returns one character for each of the last values; 100 is the highest.
std::string top_history(const std::vector<double>& values, size_t width, bool utf8);

}  // namespace xsched::cli
