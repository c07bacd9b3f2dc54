#include "cli/hint_facts.h"

#include <algorithm>
#include <functional>

#include "base/hints.h"
#include "base/text.h"
#include "cli/fields.h"
#include "config/hint_text.h"
#include "config/ignored.h"

namespace xsched::cli {
namespace {

std::string hint_words(const base::HintInfo& hint, const Json& value) {
    if (hint.kind == base::HintKind::kSwitch) return hint_name(hint);
    if (value.is_string()) return hint_name(hint) + " " + value.get<std::string>();
    const auto number = value.get<int64_t>();
    const Field* field = field_of(hint.request);
    const std::string unit = field != nullptr ? field->unit : "";
    if (unit == "us" && number >= 0)
        return hint_name(hint) + " " + base::length_text(static_cast<double>(number) / 1e3);
    return hint_name(hint) + " " + config::text_of_hint(hint, number) + (unit == "%" ? " %" : "");
}

// Joins the words of each hint among `hints`, with what `more` says of it.
std::string joined(const Json& hints, std::initializer_list<const char*> without,
                   const std::function<std::string(const base::HintInfo&)>& more) {
    std::string text;
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.request == nullptr || !hints.contains(hint.request)) continue;
        const auto is_it = [&hint](const char* one) { return hint.request == std::string(one); };
        if (std::any_of(without.begin(), without.end(), is_it)) continue;
        text += (text.empty() ? "" : ", ") + hint_words(hint, hints[hint.request]) + more(hint);
    }
    return text;
}

}  // namespace

std::string hint_name(const base::HintInfo& hint) {
    if (hint.kind == base::HintKind::kTarget) return "p99 target";
    std::string name = hint.request;
    if (name.ends_with("_us")) name.resize(name.size() - 3);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string hints_text(const Json& entry, std::initializer_list<const char*> without) {
    return joined(entry.value("hints_in_force", Json::object()), without,
                  [](const base::HintInfo&) { return std::string(); });
}

std::string no_less_urgent(const std::string& policy) {
    return "background does not make the program less urgent under policy " + policy + ", which does not use priority";
}

std::string ignored_text(const Json& entry, const std::string& policy) {
    const base::HintInfo& background = base::hint_info(base::HintId::background);
    const auto in_background = entry.value("hints_in_force", Json::object()).value(background.request, int64_t{0});
    const bool is_urgent = config::unused_under(policy, background, in_background).has_value();
    const std::string text =
        joined(entry.value("hints_ignored", Json::object()), {}, [&policy](const base::HintInfo& hint) {
            if (config::read_by_others(policy, hint)) return " (policy " + policy + " does not read it)";
            if (hint.id == base::HintId::priority) return std::string(" (the background is less urgent than all)");
            const bool is_share = hint.id == base::HintId::share || hint.id == base::HintId::limit;
            return std::string(is_share ? " (what its user or control group has together counts)"
                                        : " (the program's memory is not counted)");
        });
    return (text.empty() ? "" : "without effect: " + text) + (text.empty() || !is_urgent ? "" : "; ") +
           (is_urgent ? no_less_urgent(policy) : "");
}

std::string target_text(const Json& program) {
    for (const base::HintInfo& hint : base::kHints)
        if (hint.kind == base::HintKind::kTarget)
            if (const auto target = program.value(hint.listed, int64_t{0}); target != 0)
                return hint_words(hint, target);
    return "";
}

const Json& share_that_counts(const Json& entry) {
    for (const char* together : {"user_gets", "group_gets"})
        if (const auto all = entry.find(together); all != entry.end() && all->contains("share")) return *all;
    return entry;
}

int64_t wanted_percent(const Json& entry, const std::string& policy) {
    const auto share = share_that_counts(entry).value("share", int64_t{0});
    const auto utilization = entry.value("hints_in_force", Json::object()).value("utilization", int64_t{0});
    const bool reads_shares = !config::read_by_others(policy, base::hint_info(base::HintId::share));
    return utilization != 0 && !reads_shares ? utilization : share;
}

}  // namespace xsched::cli
