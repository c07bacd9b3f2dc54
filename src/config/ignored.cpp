#include "config/ignored.h"

#include "policy/policy.h"

namespace xsched::config {
namespace {

uint32_t bit(const base::HintInfo& hint) { return 1U << static_cast<unsigned>(hint.id); }

void add(std::vector<Ignored>& all, const std::string& policy, const base::HintInfo& hint, int64_t value,
         const std::string& place) {
    if (const auto others = unused_under(policy, hint, value)) all.push_back({place, hint.name, *others});
}

}  // namespace

std::optional<std::vector<std::string>> read_by_others(const std::string& policy, const base::HintInfo& hint) {
    const policy::PolicyInfo* info = policy::find_policy(policy.c_str());
    if (info == nullptr || ((info->hints | policy::kUnderEveryPolicy) & bit(hint)) != 0) return std::nullopt;
    std::vector<std::string> readers;
    for (const auto& other : policy::policies())
        if ((other.hints & bit(hint)) != 0) readers.emplace_back(other.name);
    return readers;
}

bool is_of_this_build(const std::string& policy) { return policy::find_policy(policy.c_str()) != nullptr; }

bool decides_by(const std::string& policy, base::HintId hint) {
    const policy::PolicyInfo* info = policy::find_policy(policy.c_str());
    return info != nullptr && (info->hints & policy::bits_of(hint)) != 0;
}

bool says_who_runs(const base::HintInfo& hint, int64_t value) {
    if (value == hint.fallback) return false;
    return hint.id != base::HintId::priority || value != PRIORITY_NO_EXECUTE;
}

const base::HintInfo& works_by(const base::HintInfo& hint) {
    return hint.id == base::HintId::background ? base::hint_info(base::HintId::priority) : hint;
}

std::optional<std::vector<std::string>> unused_under(const std::string& policy, const base::HintInfo& hint,
                                                     int64_t value) {
    return says_who_runs(hint, value) ? read_by_others(policy, works_by(hint)) : std::nullopt;
}

Sooner sooner_under(const std::string& policy) {
    const policy::PolicyInfo* info = policy::find_policy(policy.c_str());
    if (info == nullptr && policy == "EXPR")  // the name that the server's own line has
        return {.by_priority = false,
                .advice =
                    "give it what the server's own line prefers: 'xcli config' shows the line "
                    "(server.policy_expr, or --policy-expr)"};
    if (info == nullptr)
        return {.by_priority = false, .advice = "ask the author of policy " + policy + ", who knows what it reads"};
    if (info->sooner != nullptr) return {.by_priority = false, .advice = info->sooner};
    return {.by_priority = decides_by(policy, base::HintId::priority), .advice = ""};
}

std::vector<Ignored> ignored_under(const std::string& policy, const Configuration& configuration) {
    constexpr int64_t kSome = 1;
    std::vector<Ignored> all;
    for (const auto& [name, value] : configuration.limits)
        if ((name == "share" || name.ends_with(":share")) && value.text != "0")
            add(all, policy, base::hint_info(base::HintId::share), kSome, value.source);
    for (const Rule& rule : configuration.rules)
        for (const base::HintInfo& hint : base::kHints)
            if (const auto& value = rule.hints[static_cast<size_t>(hint.id)])
                add(all, policy, hint, *value, rule.place);
    return all;
}

std::vector<Ignored> ignored_under(const std::string& policy, const Given& given) {
    std::vector<Ignored> all;
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& value = given.hints[static_cast<size_t>(hint.id)])
            add(all, policy, hint, *value, given.hint_places[static_cast<size_t>(hint.id)]);
    return all;
}

}  // namespace xsched::config
