// Tells whether a shim can be loaded into a program: the dynamic linker loads it, but not into every program. One
// thread.
#pragma once

#include <span>
#include <string>

namespace xsched::cli {

struct Misfit {
    // Why a preloaded library does not see the program, as the end of a sentence that begins with its path: "/bin/prog
    // is statically linked". Empty: it does, or that is not known.
    std::string reason;
    bool ends_it = false;  // if our libraries were preloaded, the program would end before its main
};

// Throws Failure if the program is told as a path, and cannot be executed.
void check_path(const std::string& program);

// Returns the ELF file that runs in the end when these words are executed: a script's interpreter, and the program
// behind env, nice, timeout and similar. Empty: it cannot be told.
std::string last_executable(std::span<const std::string> words);

// Judges a program. `program`: its words; the first is a path, or a name that execvp looks up. A script is judged by
// its interpreter; env, nice, timeout and similar by the program behind them. Programs that it starts are not judged.
Misfit misfit_of(std::span<const std::string> program);

}  // namespace xsched::cli
