// xcli enable, xcli disable: put a program under XSched for good, or all programs of the user's session. The main
// thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

struct EnableWords {
    std::string program;   // empty: none is named
    bool session = false;  // all programs of the user's session
};

// Writes a wrapper in ~/.local/bin, or an entry of environment.d. A file that another program wrote is left alone:
// throws Failure.
int enable(const EnableWords& words, bool json);
// Removes what enable has written, and nothing else.
int disable(const EnableWords& words, bool json);

// Returns the program that a wrapper starts; empty: the file is no wrapper of ours.
std::string wrapped_program(const std::string& file);
// Returns the names of programs that are enabled.
std::vector<std::string> enabled_programs();

}  // namespace xsched::cli
