// The help of a command-line program: what a command does, how it is typed, examples, and then its options. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace xsched::console {

// The folder of the pages that a help names, which the sources have as docs/.
inline constexpr const char* kWherePagesAre = "Pages such as levels.md are in share/doc/xsched/docs.";

// Returns the word that stands for an option's value ("N", "LEVEL"), empty for a flag: the type name if the program
// gave one, otherwise N for a number and the last part of the option's own name for a text.
std::string value_name(const CLI::Option& option);
// Returns the words that the option may have, with spaces between; empty: any.
std::string choices(const CLI::Option& option);

// Lets `app` and its commands print their help so, folded to the width of the terminal. A command's footer has its
// examples. The program's own footer says what its exit statuses mean; commands whose footer says so do not repeat it.
void shape_help(CLI::App& app);

}  // namespace xsched::console
