// Says that a name is no policy, for tools and servers. No library in a guest includes it.
#pragma once

#include <string>
#include <vector>

#include "base/did_you_mean.h"
#include "policy/policy.h"

namespace xsched::policy {

// Returns, for example, "there is no policy \"PUPP\" (did you mean \"PUP\"?): use one of AUTO, AWF".
inline std::string no_such_policy(const std::string& name) {
    std::vector<std::string> known;
    for (const PolicyInfo& info : policies()) known.emplace_back(info.name);
    return "there is no policy \"" + name + "\"" + base::instead(known, name);
}

}  // namespace xsched::policy
