// Whether a shim can be loaded into a program at all: the dynamic linker does that, and not for every program. One
// thread.
#pragma once

#include <string>

namespace xsched::cli {

// Why `program` cannot be seen by a preloaded library: the end of a sentence that begins with its path, such as
// "/bin/prog is statically linked". Empty: nothing speaks against it, or that cannot be told. `program` is a path, or a
// name that execvp would look up. A script counts as its interpreter. What the program starts in turn is not looked at.
std::string why_invisible(const std::string& program);

}  // namespace xsched::cli
