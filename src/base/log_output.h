// Where log lines go: standard error, or the file named by XLOG_FILE. No thread of the program waits for the reader: a
// pipe, a terminal or a socket that is full loses the line, and the next one that goes through says how many were lost.
// A reader that is gone costs a line and no signal. Any thread, also inside fork's child; no lock, no allocation.
#pragma once

#include <cstddef>

#include "base/log_level.h"

namespace xsched::base::detail {

inline constexpr size_t kLogLineBytes = 1024;

// Writes the line as it is printed, with its newline, to `text`, which has kLogLineBytes. Returns the length.
[[gnu::format(printf, 5, 6)]] size_t format_line(char* text, LogLevel level, const char* file, int line,
                                                 const char* format, ...);
// Returns whether XLOG_FILE names a file. Its lines also have the day, the program's name and its pid.
bool logs_to_file();
// Writes a line of at most kLogLineBytes to the log. May change errno.
void put_line(const char* line, size_t bytes);

}  // namespace xsched::base::detail
