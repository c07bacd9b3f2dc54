// Suggests the word that a person may have meant who mistyped one. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace xsched::cli {

// The one of `known` that is nearest to `word`, if it is near: a third of its letters, at most. Else "".
std::string nearest(const std::vector<std::string>& known, const std::string& word);

// " (did you mean \"status\"?)", or "".
std::string meant(const std::vector<std::string>& known, const std::string& word);
std::vector<std::string> commands_of(const CLI::App& app);
// The same for an option that the error names, of the command that was being read.
std::string meant_option(const CLI::App& app, const std::string& error);

}  // namespace xsched::cli
