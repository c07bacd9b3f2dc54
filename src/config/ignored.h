// Settings that a policy ignores. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "config/configuration.h"

namespace xsched::config {

// Returns the policies that read the hint, if this one does not. Nothing: it reads the hint, or it is not of this
// build.
std::optional<std::vector<std::string>> read_by_others(const std::string& policy, const base::HintInfo& hint);

// A setting that has no effect under a policy.
struct Ignored {
    std::string place;  // of the rule or limit
    std::string hint;
    std::vector<std::string> used_by;
};
// Returns the hints of rules, and shares, that have no effect under the policy.
std::vector<Ignored> ignored_under(const std::string& policy, const Configuration& configuration);
// Returns the hints that have no effect under the policy, of those that rules give one program.
std::vector<Ignored> ignored_under(const std::string& policy, const Given& given);

}  // namespace xsched::config
