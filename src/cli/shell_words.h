// The completions of xcli's command line, made from its commands and options themselves. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace xsched::cli {

// Returns a script for "bash", "zsh" or "fish"; "" for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace xsched::cli
