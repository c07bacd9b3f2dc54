#include "policy/expr/expr.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <string_view>
#include <vector>

#include "policy/hpf/largest.h"

namespace xsched::policy {
namespace {

// Returns when a unit's work is due. Work without a deadline is due last.
int64_t due_ns(const Unit& unit) {
    return unit.deadline_us != 0 ? unit.ready_since_ns + unit.deadline_us * 1000 : INT64_MAX;
}

struct Field {
    std::string_view name;
    int64_t (*of)(const Unit& unit);
};
constexpr Field kFields[] = {
    {"priority", [](const Unit& unit) -> int64_t { return unit.priority; }},
    {"deadline", due_ns},
    {"since", [](const Unit& unit) { return unit.ready_since_ns; }},
    {"share", [](const Unit& unit) -> int64_t { return unit.share; }},
    {"utilization", [](const Unit& unit) -> int64_t { return unit.utilization; }},
    {"window", [](const Unit& unit) -> int64_t { return unit.window; }},
    {"laxity", [](const Unit& unit) { return unit.laxity_us; }},
    {"command", [](const Unit& unit) { return unit.command_ns; }},
    {"memory", [](const Unit& unit) { return static_cast<int64_t>(unit.memory); }},
    {"memory_away", [](const Unit& unit) { return static_cast<int64_t>(unit.memory_away); }},
    {"memory_wanted", [](const Unit& unit) { return static_cast<int64_t>(unit.memory_wanted); }},
    {"pid", [](const Unit& unit) -> int64_t { return unit.pid; }},
};

struct Term {
    const Field* field = nullptr;
    bool descending = false;
};

class Expression final : public Policy {
public:
    explicit Expression(std::vector<Term> terms) : terms_(std::move(terms)) {}

    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        run_largest(units, choices, [&](size_t i) { return Rank{&terms_, &units[i]}; });
        return 0;
    }

private:
    // A unit's place in the order; the first in order is the largest.
    struct Rank {
        const std::vector<Term>* terms;
        const Unit* unit;
        std::strong_ordering operator<=>(const Rank& other) const {
            for (const Term& term : *terms) {
                const auto order = term.field->of(*unit) <=> term.field->of(*other.unit);
                if (order != std::strong_ordering::equal) return term.descending ? order : 0 <=> order;
            }
            return std::strong_ordering::equal;
        }
        bool operator==(const Rank& other) const { return (*this <=> other) == std::strong_ordering::equal; }
    };

    std::vector<Term> terms_;
};

std::vector<std::string_view> words_of(std::string_view text, std::string_view between) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
        const size_t begin = text.find_first_not_of(between, at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(between, begin), text.size());
        words.push_back(text.substr(begin, at - begin));
    }
    return words;
}

}  // namespace

std::unique_ptr<Policy> make_expression(const std::string& line, std::string* error) {
    std::vector<Term> terms;
    for (const std::string_view part : words_of(line, ",")) {
        const auto words = words_of(part, " \t");
        const auto* field = std::find_if(std::begin(kFields), std::end(kFields),
                                         [&](const Field& known) { return !words.empty() && known.name == words[0]; });
        const bool ordered = words.size() == 2 && (words[1] == "asc" || words[1] == "desc");
        if (field == std::end(kFields) || !ordered) {
            const size_t begin = words.empty() ? 0 : words[0].data() - part.data();
            *error = "\"" + std::string(part.substr(begin)) + "\" is no order: use one of";
            for (const Field& known : kFields) *error += " " + std::string(known.name);
            *error += ", and asc (the smallest first) or desc";
            return nullptr;
        }
        terms.push_back({field, words[1] == "desc"});
    }
    if (!terms.empty()) return std::make_unique<Expression>(std::move(terms));
    *error = "the expression is empty: say for instance 'priority desc, deadline asc'";
    return nullptr;
}

}  // namespace xsched::policy
