// The completions and manual pages of xcli's command line, made from its commands and options themselves. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace xsched::cli {

// Returns a script for "bash", "zsh" or "fish"; "" for another shell.
std::string completion(const CLI::App& app, const std::string& shell);
// Returns xcli(1) in man's format.
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace xsched::cli
