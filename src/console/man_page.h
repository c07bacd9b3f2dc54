// A program's manual page, made from its own commands and options. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace xsched::console {

// Returns the page in man's format. `name`: the program's. `section`: 1 for commands of users, 8 for those of
// administrators. `environment`: what variables it reads, in sentences.
std::string man_page(const CLI::App& app, const std::string& name, int section, const std::string& version,
                     const std::string& environment);

// Adds --man, which the help does not show: prints that page and ends the parsing.
void add_man_page(CLI::App& app, const std::string& name, int section, const std::string& version,
                  const std::string& environment);

}  // namespace xsched::console
