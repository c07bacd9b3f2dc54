// Text that is to fit a terminal. A column is a code point of UTF-8.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

// The first `columns` columns of it.
std::string cut(const std::string& line, size_t columns);

// Lines of at most `columns` columns, broken at spaces where there are any; what goes on is indented more.
std::vector<std::string> wrapped(const std::string& line, size_t columns);

// `text` without its last line's end, in lines.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace xsched::cli
