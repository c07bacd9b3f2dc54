// The policies of this build, for tools that know no policy themselves. Any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xsched::config {

// Returns the name of each policy, and what it does.
std::vector<std::pair<std::string, std::string>> policies();
bool is_policy(const std::string& name);
// Returns a sentence about a name that is no policy (policy/no_such_policy.h). `known`: the policies that there are.
std::string no_such_policy(const std::string& name, const std::vector<std::string>& known);
std::string no_such_policy(const std::string& name);  // of this build

}  // namespace xsched::config
