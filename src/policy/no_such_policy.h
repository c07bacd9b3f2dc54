// Says that a name is no policy, for tools and servers. No library in a guest includes it.
#pragma once

#include <string>
#include <vector>

#include "base/did_you_mean.h"
#include "base/text.h"
#include "policy/policy.h"

namespace xsched::policy {

inline std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const PolicyInfo& info : policies()) names.emplace_back(info.name);
    return names;
}

// Returns, for example, "there is no policy \"PUPP\" (did you mean \"PUP\"?): use one of AUTO, AWF". An order and a
// library are no names: the sentence says how a server takes them. `known`: the policies that there are.
inline std::string no_such_policy(const std::string& name, const std::vector<std::string>& known = policy_names()) {
    const bool is_expr = base::same_word(name.c_str(), "EXPR");
    if (is_expr || name.find(' ') != std::string::npos)
        return (is_expr ? "policy EXPR needs its order" : "\"" + name + "\" is an order, not a name") +
               ", which a server takes at its start: xserver --policy-expr '" + (is_expr ? "priority desc" : name) +
               "'";
    if (name.find('/') != std::string::npos || name.ends_with(".so"))
        return "\"" + name + "\" is a library, which a server loads at its start: xserver " +
               (name.find('/') == std::string::npos ? "./" : "") + name;
    return "there is no policy \"" + name + "\"" + base::instead(known, name);
}

}  // namespace xsched::policy
