#include "config/policies.h"

#include "policy/no_such_policy.h"

namespace xsched::config {

std::vector<std::pair<std::string, std::string>> policies() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const policy::PolicyInfo& info : policy::policies()) all.emplace_back(info.name, info.summary);
    return all;
}

bool is_policy(const std::string& name) { return policy::find_policy(name.c_str()) != nullptr; }

std::string no_such_policy(const std::string& name, const std::vector<std::string>& known) {
    return policy::no_such_policy(name, known);
}

std::string no_such_policy(const std::string& name) { return policy::no_such_policy(name); }

}  // namespace xsched::config
