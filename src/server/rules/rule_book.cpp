#include "server/rules/rule_book.h"

#include <algorithm>
#include <cstdlib>

#include "config/hint_text.h"
#include "config/rule_json.h"
#include "ipc/slot_hints.h"

namespace xsched::server {
namespace {

using Json = nlohmann::json;
using config::Rule;

// Returns why a user may not have these rules; empty: it may.
std::string too_much(const std::vector<Rule>& rules) {
    if (rules.size() > RuleBook::kMostRules)
        return "a user has " + std::to_string(RuleBook::kMostRules) + " rules at most, and these are " +
               std::to_string(rules.size());
    size_t patterns = 0;
    size_t longest = 0;
    for (const Rule& rule : rules)
        for (const auto* list : {&rule.names, &rule.paths, &rule.arguments, &rule.cgroups}) {
            patterns += list->size();
            for (const std::string& pattern : *list) longest = std::max(longest, pattern.size());
        }
    if (patterns > RuleBook::kMostPatterns || longest > RuleBook::kMostPatternBytes)
        return "a user's rules have " + std::to_string(RuleBook::kMostPatterns) + " patterns of " +
               std::to_string(RuleBook::kMostPatternBytes) + " letters at most";
    return "";
}

}  // namespace

std::string RuleBook::set_of_user(uid_t user, const Json& list) {
    std::vector<config::Problem> problems;
    std::vector<Rule> rules = config::rules_of_json(list, problems);
    if (!problems.empty()) return problems.front().text();
    if (const std::string why = too_much(rules); !why.empty()) return why;
    if (rules.empty()) {
        users_.erase(user);
        return "";
    }
    if (!users_.contains(user) && users_.size() >= kMostUsers)
        return "as many users as possible have rules of their own already: ask an administrator for yours";
    users_[user] = std::move(rules);
    return "";
}

const std::vector<Rule>& RuleBook::of_user(uid_t user) const {
    static const std::vector<Rule> kNone;
    const auto found = users_.find(user);
    return found != users_.end() ? found->second : kNone;
}

config::Given RuleBook::given(uid_t user, const config::Program& program) const {
    config::Given given = config::given_by(rules_, program);
    for (const Rule& rule : of_user(user))
        if (rule.fits(program)) given.add(rule);
    return given;
}

Json RuleBook::kept() const {
    Json all = Json::object();
    for (const auto& [user, rules] : users_) all[std::to_string(user)] = config::rules_json(rules);
    return all;
}

void RuleBook::take_up(const Json& kept) {
    if (!kept.is_object()) return;
    for (const auto& [user, list] : kept.items())
        set_of_user(static_cast<uid_t>(strtoul(user.c_str(), nullptr, 10)), list);
}

void write_rules(ipc::Header& header, const config::Given& given) {
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& value = given.hints[static_cast<size_t>(hint.id)]; value)
            ipc::store_rule(header, hint.id, hint.kept(*value, 0));
}

std::string text_of(const config::Given& given) {
    std::string text;
    for (const base::HintInfo& hint : base::kHints) {
        const auto at = static_cast<size_t>(hint.id);
        if (!given.hints[at]) continue;
        text += (text.empty() ? "" : ", ") + std::string(hint.name) + " " +
                config::text_of_hint(hint, *given.hints[at]) + " (" + given.hint_places[at] + ")";
    }
    if (given.highest_priority < PRIORITY_MAX)
        text += (text.empty() ? "" : ", ") + std::string("highest priority ") + std::to_string(given.highest_priority) +
                " (" + given.highest_place + ")";
    return text;
}

}  // namespace xsched::server
