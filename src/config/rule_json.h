// Rules as JSON, in which tools send them. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "config/rule.h"

namespace xsched::config {

// Returns [{"place": ..., "rule": {...}}, ...].
nlohmann::json rules_json(const std::vector<Rule>& rules);
// Reads a user's rules from a list as rules_json writes it. Each error is added to `problems`.
std::vector<Rule> rules_of_json(const nlohmann::json& list, std::vector<Problem>& problems);

}  // namespace xsched::config
