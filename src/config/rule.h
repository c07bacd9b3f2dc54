// Rules by program: the conditions under which a program is meant, and what it is given. Pure; any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "config/node.h"
#include "xsched/types.h"

namespace xsched::config {

// The facts about a program that conditions look at.
struct Program {
    std::vector<std::string> names;  // of its file, of its process, and of the script that it runs
    std::string path;  // of its file; empty: unknown
    std::string command;  // its command line, with spaces between
    uid_t uid = 0;
    std::string cgroup;
};
// Returns the facts about a program, given its path, its process's name and the words of its command line.
Program program_of(std::string path, const std::string& process_name, const std::vector<std::string>& words);

struct Rule {
    std::string place;  // "FILE:LINE"
    // Patterns (* and ?), of which one must fit; none: the condition is not set.
    std::vector<std::string> names;
    std::vector<std::string> paths;
    std::vector<std::string> arguments;
    std::vector<std::string> cgroups;  // groups below count too
    std::vector<uid_t> users;
    std::optional<int64_t> hints[base::kHintCount];
    std::optional<bool> never;
    std::optional<int32_t> highest_priority;
    Node source;  // as it was read, without keys that do not count

    bool fits(const Program& program) const;
};

// Reads one rule. A wrong value costs this value; a wrong condition costs the rule, since it would hold for other
// programs: then nothing is returned. `is_users`: it is a user's own, which says nothing of other users and sets no
// ceiling.
std::optional<Rule> read_rule(const Node& node, const std::string& file, bool is_users, std::vector<Problem>& problems);

// The hints and orders that all rules together give a program, with the places of those rules. A later rule comes
// before an earlier one; of the ceilings the lowest counts.
struct Given {
    std::optional<int64_t> hints[base::kHintCount];
    std::string hint_places[base::kHintCount];
    bool never = false;
    std::string never_place;
    int32_t highest_priority = PRIORITY_MAX;
    std::string highest_place;
    bool fits_any = false;

    void add(const Rule& rule);
};
Given given_by(const std::vector<Rule>& rules, const Program& program);

}  // namespace xsched::config
