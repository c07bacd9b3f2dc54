// Rules as JSON, in which tools send them. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "config/rule.h"

namespace xsched::config {

// Returns [{"place": ..., "rule": {...}}, ...].
nlohmann::json rules_json(const std::vector<Rule>& rules);
// Reads such a list of a user's rules. Anything wrong becomes a problem.
std::vector<Rule> rules_of_json(const nlohmann::json& list, std::vector<Problem>& problems);

}  // namespace xsched::config
