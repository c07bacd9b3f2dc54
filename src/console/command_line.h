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

// Returns the commands and the options that the help shows.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);
std::vector<const CLI::Option*> shown_options(const CLI::App& command);
// Returns the command within `app` that has this name; null: none has.
const CLI::App* find_command(const CLI::App& app, const std::string& name);
// Returns whether a word of the command line is no command of the program, for which CLI11 would only say that a
// command is required. An option is none, and a program without commands has no unknown ones.
bool is_unknown_command(const CLI::App& app, const std::string& word);

}  // namespace xsched::console
