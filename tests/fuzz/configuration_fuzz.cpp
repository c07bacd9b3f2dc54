// A file of configuration, as any editor may leave it; and the rules that a user's tool sends.
#include <string>

#include "config/configuration.h"
#include "config/rule_json.h"
#include "fuzz/target.h"

namespace xsched::fuzz::configuration_target {
namespace {

void expect_in_range(const config::Configuration& all) {
    for (const config::Setting& setting : config::settings())
        demand(config::complaint(setting, all.value(setting).text).empty(), "a setting that counts is right");
    for (const config::Rule& rule : all.rules) {
        demand(!rule.names.empty() || !rule.paths.empty() || !rule.arguments.empty() || !rule.users.empty() ||
                   !rule.cgroups.empty(),
               "a rule has a condition");
        for (const base::HintInfo& hint : base::kHints)
            if (const auto& value = rule.hints[static_cast<size_t>(hint.id)]; value)
                demand(*value >= hint.least && *value <= hint.most, "a hint is within its range");
    }
}

}  // namespace

XSCHED_FUZZ(configuration) {
    for (const bool is_users : {false, true}) {
        config::Configuration all;
        config::add_file(all, {"x.toml", std::string(input), is_users});
        expect_in_range(all);
        demand(!is_users || all.limits.empty(), "a user sets no limits");
        config::given_by(all.rules, config::program_of("/bin/a", "a", {"a", std::string(input.substr(0, 200))}));
        if (!is_users) continue;
        std::vector<config::Problem> problems;
        const auto again = config::rules_of_json(config::rules_json(all.users_rules), problems);
        demand(again.size() == all.users_rules.size(), "a user's rules reach the server as they are");
    }
    std::vector<config::Problem> problems;
    config::rules_of_json(nlohmann::json::parse(input, nullptr, false), problems);
}

}  // namespace xsched::fuzz::configuration_target
