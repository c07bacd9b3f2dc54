// Suggests the command that a person probably meant to type. Pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "base/did_you_mean.h"

namespace xsched::cli {

using base::meant;
using base::nearest;

std::vector<std::string> commands_of(const CLI::App& app);
// Returns a suggestion for a word that is no command; empty if none is near.
std::string meant_command(const CLI::App& app, const std::string& word);
}  // namespace xsched::cli
