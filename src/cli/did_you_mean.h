// Suggests the command or option that a person probably meant to type. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "config/did_you_mean.h"

namespace xsched::cli {

using config::meant;
using config::nearest;

std::vector<std::string> commands_of(const CLI::App& app);
// Returns a suggestion for a word that is no command; empty if none is near.
std::string meant_command(const CLI::App& app, const std::string& word);
// Returns the option that was probably meant, given a parse error of the command `app` that names an unknown option.
// Empty: no option is similar.
std::string meant_option(const CLI::App& app, const std::string& error);

}  // namespace xsched::cli
