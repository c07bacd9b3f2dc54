// xcli rules: the rules by program, what they give a command, and handing the user's own to the server. The main
// thread.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"
#include "config/configuration.h"
#include "config/ignored.h"

namespace xsched::cli {

int show_rules(bool json);

struct RulesTest {
    std::string user;    // empty: this one
    std::string cgroup;  // empty: this process's
};
// Prints what rules would give the command. Nothing is started.
int test_rules(const RulesTest& test, const std::vector<std::string>& command, bool json);

// Hands the rules of the user's files to the server of all users, which does not read them itself.
int load_rules(bool json);
// Hands the user's rules to the server of all users, if there are any, and prints nothing.
void load_rules_quietly(const config::Configuration& configuration);

// Returns the policy that the server has in force; if none answers, the configured one. Empty: a line of a policy.
std::string policy_in_force(const config::Configuration& configuration);
Json ignored_json(const std::vector<config::Ignored>& all);
// Returns a sentence for each setting that has no effect under the policy.
std::vector<config::Problem> ignored_problems(const std::string& policy, const std::vector<config::Ignored>& all);
// Prints the configuration's problems to standard error.
void tell_complaints(const config::Configuration& configuration);

// Returns the program that a command would be: a script becomes its interpreter.
config::Program program_of_command(const std::vector<std::string>& command);

}  // namespace xsched::cli
