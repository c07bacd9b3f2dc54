// xsim ablate.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "sched/facts/rules.h"
#include "sim/ablation.h"
#include "sim/tool/commands.h"

namespace xsched::sim::tool {
namespace {

struct Effect {
    const AblationCase* where;
    AblationLoss loss;
};

struct Worth {
    const sched::RuleInfo* rule;
    size_t decided_otherwise = 0;  // number of workloads in which decisions differ
    std::vector<Effect> effects;  // that show
};

std::vector<AblationCase> chosen_cases(const AblateWords& words) {
    std::vector<AblationCase> cases = ablation_cases();
    if (words.seed)
        for (AblationCase& one : cases) one.workload.seed = *words.seed;
    if (words.workload.empty()) return cases;
    std::erase_if(cases, [&](const AblationCase& one) { return one.name.find(words.workload) == std::string::npos; });
    if (cases.empty()) throw std::runtime_error("no workload's name has \"" + words.workload + "\" in it");
    return cases;
}

std::vector<const sched::RuleInfo*> chosen_rules(const AblateWords& words) {
    std::vector<std::string> known;
    for (const sched::RuleInfo& rule : sched::kRules) known.emplace_back(rule.name);
    for (const std::string& word : words.rules)
        if (std::find(known.begin(), known.end(), word) == known.end())
            throw std::runtime_error("there is no rule \"" + word + "\"" + base::meant(known, word) +
                                     ": rules.md has their names");
    std::vector<const sched::RuleInfo*> rules;
    for (const sched::RuleInfo& rule : sched::kRules)
        if (words.rules.empty() || std::find(words.rules.begin(), words.rules.end(), rule.name) != words.rules.end())
            rules.push_back(&rule);
    return rules;
}

Worth worth_of(const sched::RuleInfo& rule, const std::vector<AblationCase>& cases,
               const std::vector<AblationOutcome>& with) {
    Worth worth{.rule = &rule};
    sched::switch_rule(rule.rule, false);
    for (size_t at = 0; at < cases.size(); ++at) {
        const AblationOutcome without = run_case(cases[at].workload);
        if (without.decisions != with[at].decisions) ++worth.decided_otherwise;
        const AblationLoss loss = loss_of(without, with[at]);
        if (loss.shows()) worth.effects.push_back({&cases[at], loss});
    }
    sched::switch_rule(rule.rule, true);
    std::stable_sort(worth.effects.begin(), worth.effects.end(), [](const Effect& a, const Effect& b) {
        const auto size = [](const AblationLoss& loss) {
            return std::max(
                {std::abs(loss.p50), std::abs(loss.p99), std::abs(loss.first), 10 * std::abs(loss.victims)});
        };
        return size(a.loss) > size(b.loss);
    });
    return worth;
}

void print(const Worth& worth, size_t most) {
    printf("%-18s %2zu decide otherwise, %2zu show it\n", worth.rule->name, worth.decided_otherwise,
           worth.effects.size());
    for (size_t at = 0; at < std::min(most, worth.effects.size()); ++at) {
        const auto& [where, loss] = worth.effects[at];
        printf("  %-42s p50 %+6.1f %%  p99 %+6.1f %%  first %+6.1f %%  victims %+5.1f points\n", where->name.c_str(),
               100 * loss.p50, 100 * loss.p99, 100 * loss.first, -100 * loss.victims);
    }
}

nlohmann::json json_of(const Worth& worth) {
    nlohmann::json effects = nlohmann::json::array();
    for (const auto& [where, loss] : worth.effects)
        effects.push_back({{"workload", where->name},
                           {"p50", loss.p50},
                           {"p99", loss.p99},
                           {"first", loss.first},
                           {"victims", -loss.victims}});
    return {{"rule", worth.rule->name}, {"decide_otherwise", worth.decided_otherwise}, {"effects", effects}};
}

nlohmann::json json_of(const AblationCase& one, const AblationOutcome& outcome) {
    return {{"workload", one.name},     {"first_us", outcome.first_us}, {"p50_us", outcome.p50_us},
            {"p99_us", outcome.p99_us}, {"victims", outcome.victims},   {"decisions", outcome.decisions}};
}

// Prints the workloads in which this build decides otherwise than the build that wrote `before`, and the effect.
// Returns whether a figure is worse by 2 %: p50, p99, or the victims' part.
bool is_worse(const nlohmann::json& before, const std::vector<AblationCase>& cases,
              const std::vector<AblationOutcome>& now) {
    constexpr double kPart = 0.02;
    bool worse = false;
    for (const nlohmann::json& row : before.at("workloads"))
        for (size_t at = 0; at < cases.size(); ++at) {
            if (row.at("workload") != cases[at].name || row.at("decisions") == now[at].decisions) continue;
            const AblationOutcome was{.first_us = row.at("first_us"),
                                      .p50_us = row.at("p50_us"),
                                      .p99_us = row.at("p99_us"),
                                      .victims = row.at("victims")};
            const AblationLoss loss = loss_of(now[at], was);
            const bool is = loss.p50 > kPart || loss.p99 > kPart || loss.victims > kPart * was.victims;
            worse |= is;
            printf("%-42s p50 %+6.1f %%  p99 %+6.1f %%  first %+6.1f %%  victims %+5.1f points%s\n",
                   cases[at].name.c_str(), 100 * loss.p50, 100 * loss.p99, 100 * loss.first, -100 * loss.victims,
                   is ? "  worse" : "");
        }
    return worse;
}

nlohmann::json read_table(const std::string& path) {
    std::ifstream file(path);
    const nlohmann::json table = nlohmann::json::parse(file, nullptr, false);
    if (!table.is_object() || !table.contains("workloads"))
        throw std::runtime_error(path + " has no table in it: 'xsim ablate --table --json' writes one");
    return table;
}

}  // namespace

int ablate_command(const AblateWords& words) {
    const std::vector<AblationCase> cases = chosen_cases(words);
    const std::vector<const sched::RuleInfo*> rules = chosen_rules(words);
    std::vector<AblationOutcome> with;
    nlohmann::json told{{"workloads", nlohmann::json::array()}, {"rules", nlohmann::json::array()}};
    for (const AblationCase& one : cases) {
        with.push_back(run_case(one.workload));
        told["workloads"].push_back(json_of(one, with.back()));
        if (words.table && !words.json && words.against.empty())
            printf("%-42s first %9.1f  p50 %9.1f  p99 %9.1f us  victims %5.2f %%  %016llx\n", one.name.c_str(),
                   with.back().first_us, with.back().p50_us, with.back().p99_us, 100 * with.back().victims,
                   static_cast<unsigned long long>(with.back().decisions));
    }
    if (!words.against.empty()) return is_worse(read_table(words.against), cases, with) ? 1 : 0;
    if (!words.table) {
        if (!sched::switch_rule(sched::Rule::kAnticipation, true))
            throw std::runtime_error("this xsim has no switches for rules: build the preset dev, or see --table");
        for (const sched::RuleInfo* rule : rules) {
            const Worth worth = worth_of(*rule, cases, with);
            if (words.json)
                told["rules"].push_back(json_of(worth));
            else
                print(worth, words.most);
            fflush(stdout);
        }
    }
    if (words.json) printf("%s\n", told.dump(1).c_str());
    return 0;
}

}  // namespace xsched::sim::tool
