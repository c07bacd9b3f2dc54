// Reads memory that may not exist, such as the object behind a handle that a program made up. No address raises a
// signal. Any thread.
#pragma once

#include <cstddef>

namespace xsched::base {

// Copies at most `bytes` bytes from `from` to `to`. Returns how many could be read.
size_t read_memory(const void* from, void* to, size_t bytes);

// Reads one object. Returns whether it could be read.
template <typename T>
bool read_object(const void* from, T* to) {
    return read_memory(from, to, sizeof *to) == sizeof *to;
}

}  // namespace xsched::base
