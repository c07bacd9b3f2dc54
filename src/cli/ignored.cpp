#include "cli/ignored.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "base/options.h"
#include "base/text.h"
#include "cli/did_you_mean.h"
#include "cli/steer.h"
#include "config/hint_text.h"
#include "config/latency_target.h"

namespace xsched::cli {
namespace {

constexpr const char* kPrefix = "XSCHED_";
constexpr size_t kAbbreviation = 4;  // letters that name a variable by its beginning; fewer fit too many

void tell(const std::string& sentence) {
    if (!sentence.empty()) fprintf(stderr, "xcli: %s\n", sentence.c_str());
}

// Returns the names of all known variables without "XSCHED_", which would make all names look similar. They include the
// keys of XSCHED_DEBUG, since each key may also be set by a variable of its own.
std::vector<std::string> known_variables() {
    const size_t skipped = std::string(kPrefix).size();
    std::vector<std::string> names;
    for (const base::OptionInfo* info = base::option_infos(); info->variable != nullptr; ++info)
        if (std::string(info->variable).find(kPrefix) == 0) names.emplace_back(info->variable + skipped);
    for (const base::OptionInfo* info = base::debug_infos(); info->variable != nullptr; ++info) {
        std::string name = info->variable;
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
        names.push_back(std::move(name));
    }
    return names;
}

std::string value_of(const char* variable) {
    const char* value = getenv(variable);
    return value != nullptr ? value : "";
}

std::string unused_hints(const RunOptions& options, const Json& answer) {
    const std::string policy = answer.value("policy", "");
    std::string sentences;
    for (const base::HintInfo& hint : base::kHints) {
        const auto value = options.hints.of(hint);
        if (!value || (hint.id == base::HintId::priority && *value == PRIORITY_NO_EXECUTE)) continue;
        if (hint.kind == base::HintKind::kTarget && options.promised) continue;
        bool used = true;
        Json readers = Json::array();
        for (const Json& known : answer.value("policies", Json::array())) {
            const Json& hints = known.at("hints");
            const bool reads = hints.is_null() || std::find(hints.begin(), hints.end(), hint.request) != hints.end();
            if (known.value("name", "") == policy) used = reads;
            if (reads && !hints.is_null()) readers.push_back(known.at("name"));
        }
        if (used) continue;
        sentences += (sentences.empty() ? "" : "\nxcli: ") +
                     unused_sentence(policy, {{"hint", hint.request}, {"used_by", readers}});
    }
    return sentences;
}

}  // namespace

std::string variable_meant(const std::string& name) {
    if (name.find(kPrefix) != 0) return "";
    const std::string word = name.substr(std::string(kPrefix).size());
    const std::vector<std::string> known = known_variables();
    if (std::find(known.begin(), known.end(), word) != known.end()) return "";
    const auto longer = std::find_if(known.begin(), known.end(), [&word](const std::string& one) {
        return word.size() >= kAbbreviation && one.find(word) == 0;
    });
    const std::string best = longer != known.end() ? *longer : nearest(known, word);
    return best.empty() ? "" : kPrefix + best;
}

void tell_misspelt_variables() {
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        const std::string best = variable_meant(name);
        if (!best.empty())
            tell(name + " is no variable of XSched and has no effect (did you mean \"" + best +
                 "\"?): 'xcli options' lists them");
    }
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

std::string ignored_policy(const std::string& how, const std::string& policy, const Json& answer) {
    const std::string present = answer.value("policy", "");
    if (policy.empty() || base::same_word(policy.c_str(), present.c_str())) return "";
    std::vector<std::string> names;
    for (const Json& known : answer.value("policies", Json::array())) names.push_back(known.value("name", ""));
    const auto same = [&policy](const std::string& name) { return base::same_word(policy.c_str(), name.c_str()); };
    if (std::none_of(names.begin(), names.end(), same))
        return "there is no policy " + policy + meant(names, policy) + ": policy " + present +
               " stays, 'xcli policy -n' lists them";
    return how + policy + " has no effect, since the server runs already: policy " + present + " stays, 'xcli policy " +
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
        if (options.hints.of(base::hint_info(base::HintId::priority)).value_or(PRIORITY_MIN) > highest)
            tell(ceiling_sentence(highest));
    } catch (const std::exception&) {
        // the program runs all the same
    }
}

}  // namespace xsched::cli
