// Whether a shim can be loaded into a program at all: the dynamic linker does that, and not for every program. One
// thread.
#pragma once

#include <span>
#include <string>

namespace xsched::cli {

struct Misfit {
    // Why a preloaded library does not see the program: the end of a sentence that begins with its path, such as
    // "/bin/prog is statically linked". Empty: nothing speaks against it, or that cannot be told.
    std::string reason;
    bool ends_it = false;  // preloaded, our libraries would end it before its main
};

// `program`: its words; the first is a path, or a name that execvp would look up. A script counts as its interpreter,
// and env, nice, timeout and their like as the program behind them. Programs that it starts in turn are not looked at.
Misfit misfit_of(std::span<const std::string> program);

}  // namespace xsched::cli
