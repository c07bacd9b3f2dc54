// The name by which people know a program. Any thread.
#pragma once

#include <cstddef>

namespace xsched::base {

// Writes the name into `name`, which has `bytes`. `command_line`: words, each ended by a zero byte, as /proc shows
// them. An interpreter's name is followed by its script or module: "python3 train.py", "python3 -m vllm.server".
void name_program(const char* short_name, const char* command_line, size_t command_bytes, char* name, size_t bytes);

// Does the same for this process.
void name_this_program(char* name, size_t bytes);

}  // namespace xsched::base
