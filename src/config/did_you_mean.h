// Suggests the word that a person probably meant to write. Pure.
#pragma once

#include <string>
#include <vector>

namespace xsched::config {

// Returns the word of `known` that is nearest to `word` if at most a third of its letters differ, otherwise "".
std::string nearest(const std::vector<std::string>& known, const std::string& word);
// Returns, for example, " (did you mean \"status\"?)", or "".
std::string meant(const std::vector<std::string>& known, const std::string& word);

}  // namespace xsched::config
