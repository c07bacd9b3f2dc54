// Fits text to a terminal. Columns: console/columns.h.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

// Returns the first `columns` columns.
std::string cut(const std::string& line, size_t columns);

// Returns lines of at most `columns` columns, broken at spaces if there are any. Continued lines are indented more.
std::vector<std::string> wrapped(const std::string& line, size_t columns);

// Splits a text into lines, without the end of its last line.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace xsched::cli
