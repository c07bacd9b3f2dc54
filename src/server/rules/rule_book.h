// The rules by program: those of the server's configuration, and those that users' own tools have handed over. A user's
// rules are for this user's programs alone; the server never reads users' files. Front thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "config/rule.h"
#include "ipc/layout.h"

namespace xsched::server {

class RuleBook {
public:
    // "Safety": the patterns of one user cost the front 10 ms for a program at most, and their texts 64 KiB.
    static constexpr size_t kMostRules = 32;
    static constexpr size_t kMostPatterns = 64;
    static constexpr size_t kMostPatternBytes = 128;
    static constexpr size_t kMostUsers = 256;

    // Replaces the rules of the configuration.
    void set(std::vector<config::Rule> rules) { rules_ = std::move(rules); }
    // Replaces a user's rules: a list of {"place", "rule"} as config::rules_json writes it. Returns a sentence why not,
    // or "".
    std::string set_of_user(uid_t user, const nlohmann::json& list);

    bool has_any(uid_t user) const { return !rules_.empty() || users_.contains(user); }
    const std::vector<config::Rule>& rules() const { return rules_; }
    const std::vector<config::Rule>& of_user(uid_t user) const;
    // Returns the hints and orders for a program of the user: the configuration's rules come before the user's.
    config::Given given(uid_t user, const config::Program& program) const;

    // kept() returns the users' rules as a text for a later server, which take_up() reads.
    nlohmann::json kept() const;
    void take_up(const nlohmann::json& kept);

private:
    std::vector<config::Rule> rules_;
    std::map<uid_t, std::vector<config::Rule>> users_;
};

// Writes the hints that a client is given into its header, before its welcome.
void write_rules(ipc::Header& header, const config::Given& given);
// Returns, for example, "priority 20 (/etc/xsched/x.toml:4)", for the log; empty if nothing is given.
std::string text_of(const config::Given& given);

}  // namespace xsched::server
