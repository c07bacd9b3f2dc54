// Reading memory that may not be there, as a handle that a program made up points to it: no signal, whatever the
// address. Any thread.
#pragma once

#include <cstddef>

namespace xsched::base {

// How many bytes from `from` on can be read, at most `bytes`; they are copied to `to`.
size_t read_memory(const void* from, void* to, size_t bytes);

// One object. False: it cannot be read.
template <typename T>
bool read_object(const void* from, T* to) {
    return read_memory(from, to, sizeof *to) == sizeof *to;
}

}  // namespace xsched::base
