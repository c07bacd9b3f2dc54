// The frame of a command-line program. Every error is one sentence on standard error, and the exit status says which
// kind it was. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace xsched::console {

inline constexpr int kNotWritten = 1;  // exit status if the output cannot be written
inline constexpr int kUsage = 2;  // exit status if the command line is wrong or asks for something that cannot be done

// Parses the command line and runs `command`, which the options' callbacks set. If something fails, calls `refuse` with
// a sentence and returns its result as the exit status. `name`: the program's name, for the hint at its help.
int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse);

// Returns the commands that the help shows.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

}  // namespace xsched::console
