// Folds text for people to the width of their terminal. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace xsched::console {

inline constexpr size_t kUsualWidth = 80;  // columns

// Returns the columns of the terminal on standard output; without a terminal, the number in the variable COLUMNS;
// without both 0. With 0 the text is not folded, so a program that reads the output gets one line per thing.
size_t text_width();

// Prints to standard error, folded in the same way to the width of the terminal there.
void print_error(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Breaks text at spaces into lines of at most `width` columns (colour sequences count as none); 0: returns it
// unchanged. A continued line begins below the line's last table column (two or more spaces before it), or is indented
// more.
std::string folded(const std::string& text, size_t width);

}  // namespace xsched::console
