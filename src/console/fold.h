// Text for people, folded to the width of where they read it. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace xsched::console {

inline constexpr size_t kUsualWidth = 80;  // columns

// Columns of the terminal that standard output is; else as COLUMNS says; 0: neither, so that other programs, which read
// it, get a line for each thing.
size_t text_width();

// Lines of at most `width` columns (code points; colours have none), 0: as they are. They are broken at spaces. A
// continued line stands below the beginning of the line's last column (two spaces or more before it), else is indented
// more.
std::string folded(const std::string& text, size_t width);

}  // namespace xsched::console
