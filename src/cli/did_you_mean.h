// Suggests the word that a person probably meant to type. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace xsched::cli {

// Returns the word of `known` that is nearest to `word` if at most a third of its letters differ, otherwise "".
std::string nearest(const std::vector<std::string>& known, const std::string& word);

// Returns, for example, " (did you mean \"status\"?)", or "".
std::string meant(const std::vector<std::string>& known, const std::string& word);
std::vector<std::string> commands_of(const CLI::App& app);
// Returns the same for the option that a parse error of the command `app` names.
std::string meant_option(const CLI::App& app, const std::string& error);

}  // namespace xsched::cli
