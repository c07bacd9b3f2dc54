// The frame of a command-line program. Every error is one sentence on standard error, and the exit status says which
// kind it was. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace xsched::console {

inline constexpr int kUsage = 2;  // exit status: the command line is wrong, or what it asks for cannot be done

// Reads the command line, then runs what it asks for (`command`, which the options' callbacks set). `refuse` gets the
// sentence of what went wrong, and its result is the exit status. `name`: the program's, for the hint at its help.
int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse);

}  // namespace xsched::console
