#include "cli/ignored.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/options.h"
#include "base/text.h"
#include "cli/did_you_mean.h"
#include "cli/steer.h"
#include "config/contradictions.h"
#include "config/hint_text.h"
#include "config/ignored.h"
#include "config/latency_target.h"
#include "config/policies.h"
#include "config/variable_names.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

void tell(const std::string& sentence) {
    if (!sentence.empty()) console::print_error("xcli: %s\n", sentence.c_str());
}

std::string value_of(const char* variable) {
    const char* value = getenv(variable);
    return value != nullptr ? value : "";
}

// The hints of the program that is about to run. An option counts before a variable.
class GivenHints {
public:
    explicit GivenHints(const RunOptions& options) : options_(options.hints), values_(options.hints) {
        const base::Options environment = base::read_options();
        for (const base::HintInfo& hint : base::kHints)
            if (!values_.of(hint) && (environment.told_hints & (1U << static_cast<unsigned>(hint.id))) != 0)
                values_.of(hint) = base::get_hint(environment, hint.id);
    }
    const HintWords& values() const { return values_; }
    // Returns the value if it changes who runs.
    std::optional<int64_t> of(const base::HintInfo& hint) const {
        const auto value = values_.of(hint);
        return value && config::says_who_runs(hint, *value) ? value : std::nullopt;
    }
    // "priority", or "XSCHED_AUTO_XQUEUE_PRIORITY" where a variable gives it.
    std::string called(const base::HintInfo& hint) const {
        return is_of_variable(hint) ? hint.option : config::option_word(hint);
    }
    // "--priority", or the variable.
    std::string typed(const base::HintInfo& hint) const { return (is_of_variable(hint) ? "" : "--") + called(hint); }

private:
    bool is_of_variable(const base::HintInfo& hint) const { return values_.of(hint) && !options_.of(hint); }

    const HintWords& options_;
    HintWords values_;
};

std::string unused_hints(const RunOptions& options, const Json& answer) {
    const std::string policy = answer.value("policy", "");
    const GivenHints given(options);
    std::string sentences;
    for (const base::HintInfo& hint : base::kHints) {
        const auto value = given.of(hint);
        if (!value) continue;
        // That it has no effect beside background is told already.
        if (hint.id == base::HintId::priority && given.of(base::hint_info(base::HintId::background))) continue;
        const char* const read = config::works_by(hint).request;
        if (hint.kind == base::HintKind::kTarget && options.promised) continue;
        bool used = true;
        Json readers = Json::array();
        for (const Json& known : answer.value("policies", Json::array())) {
            const Json& hints = known.at("hints");
            const bool reads = hints.is_null() || std::find(hints.begin(), hints.end(), read) != hints.end();
            if (known.value("name", "") == policy) used = reads;
            if (reads && !hints.is_null()) readers.push_back(known.at("name"));
        }
        if (used) continue;
        sentences += (sentences.empty() ? "" : "\nxcli: ") +
                     unused_sentence(policy, {{"hint", given.called(hint)}, {"used_by", readers}});
    }
    return sentences;
}

}  // namespace

void tell_misspelt_variables() {
    for (const std::string& sentence : config::misspelt_variables()) tell(sentence);
}

void tell_low_times() {
    for (const base::HintInfo& hint : base::kHints) {
        const bool is_time = hint.kind == base::HintKind::kTarget || config::is_in_microseconds(hint);
        const std::string text = hint.option != nullptr && is_time ? value_of(hint.option) : "";
        if (config::may_be_milliseconds(text))
            tell(std::string(hint.option) + "=" + text + " means " + text + " us: write " + text +
                 "000 for milliseconds");
    }
}

void tell_contradictions(const RunOptions& options) {
    const GivenHints given(options);
    for (const config::Contradiction& one : config::contradictions(
             given.values().values, [&given](const base::HintInfo& hint) { return given.called(hint); }))
        tell(one.sentence);
}

void tell_hints_without_scheduler(const RunOptions& options) {
    const GivenHints given(options);
    std::string words;
    for (const base::HintInfo& hint : base::kHints)
        if (given.of(hint) && hint.id != base::HintId::memory_limit)
            words += (words.empty() ? "" : ", ") + given.typed(hint);
    if (!words.empty()) tell(words + ": no effect with --scheduler app, under which the program's own calls decide");
}

void tell_hints_of_local_policy(const RunOptions& options) {
    const GivenHints given(options);
    const std::string policy = options.policy.empty() ? base::read_options().policy_name : options.policy;
    for (const base::HintInfo& hint : base::kHints) {
        const auto value = given.of(hint);
        const auto readers = value ? config::unused_under(policy, hint, *value) : std::nullopt;
        if (readers) tell(unused_sentence(policy, {{"hint", given.called(hint)}, {"used_by", *readers}}));
    }
}

std::string ignored_policy(const std::string& how, const std::string& policy, const Json& answer) {
    const std::string present = answer.value("policy", "");
    if (policy.empty() || base::same_word(policy.c_str(), present.c_str())) return "";
    std::vector<std::string> names;
    for (const Json& known : answer.value("policies", Json::array())) names.push_back(known.value("name", ""));
    const auto same = [&policy](const std::string& name) { return base::same_word(policy.c_str(), name.c_str()); };
    if (std::none_of(names.begin(), names.end(), same))
        return how + policy + ": " + config::no_such_policy(policy, names) + "; policy " + present + " stays";
    return how + policy + " has no effect, since the server has policy " + present + " already: 'xcli policy " +
           policy + "' changes it for all programs";
}

void tell_what_is_ignored(const RunOptions& options) {
    if (const std::string asked = value_of("XSCHED_SCHEDULER");
        !asked.empty() && !base::same_word(asked.c_str(), "global") && !base::same_word(asked.c_str(), "GLB"))
        tell("XSCHED_SCHEDULER=" + asked + " has no effect under 'xcli run': use 'xcli run --scheduler NAME'");
    try {
        const Json answer = ServerLink().ask({{"cmd", "policy"}});
        tell(options.policy.empty() ? ignored_policy("XSCHED_POLICY=", value_of("XSCHED_POLICY"), answer)
                                    : ignored_policy("--policy ", options.policy, answer));
        tell(unused_hints(options, answer));
        const int64_t highest = answer.value("highest_priority", int64_t{PRIORITY_MAX});
        if (GivenHints(options).of(base::hint_info(base::HintId::priority)).value_or(PRIORITY_MIN) > highest)
            tell(ceiling_sentence(highest));
    } catch (const std::exception&) {
        // the program runs all the same
    }
}

}  // namespace xsched::cli
