#include "cli/explain/urgency.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "base/hints.h"
#include "cli/hint_facts.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"
#include "config/hint_text.h"
#include "config/ignored.h"
#include "xsched/types.h"

namespace xsched::cli {
namespace {

constexpr double kLittlePercent = 1;  // of a device: a program that used less of it slows no other ("judgement")

int64_t pid_of(const Json& program) { return program.value("pid", int64_t{0}); }

int64_t ceiling_of(const Json& program) {
    return program.value("group_gets", Json::object()).value("highest_priority", int64_t{PRIORITY_MAX});
}

const Json& hints_of(const Json& entry) {
    static const Json none = Json::object();
    const auto found = entry.find("hints_in_force");
    return found != entry.end() ? *found : none;
}

bool is_in_background(const Json& entry) { return hints_of(entry).value("background", int64_t{0}) != 0; }

// Returns whether the program's priority says how urgent it is. A policy that reads critical priorities goes by them
// if the program has a laxity, and otherwise by its priority.
bool is_ranked_by_priority(const std::string& policy, const Json& program) {
    if (config::decides_by(policy, base::HintId::critical_priority)) return !hints_of(program).contains("laxity_us");
    return config::sooner_under(policy).by_priority;
}

bool is_of_its_gang(const Json& program, const Json& other) {
    const auto gang = hints_of(program).find("gang");
    return gang != hints_of(program).end() && hints_of(other).value("gang", Json()) == *gang;
}

// Returns the programs that come before this one or beside it.
std::vector<const Json*> rivals_of(const Json& answer, const Json& program, const Json* cause) {
    std::vector<const Json*> rivals = neighbours(answer, program);
    if (cause != nullptr && cause != &program && std::find(rivals.begin(), rivals.end(), cause) == rivals.end())
        rivals.push_back(cause);
    std::erase_if(rivals, [&](const Json* rival) { return counted_priority(*rival) < counted_priority(program); });
    return rivals;
}

std::string hint_priority(const Json& program, const std::string& priority) {
    return "xcli hint " + std::to_string(pid_of(program)) + " -p " + priority;
}

std::string leave_background(const Json& program) {
    return "take it out of the background (xcli hint " + std::to_string(pid_of(program)) + " --no-background)";
}

// Returns how to raise the ceiling that makes a higher priority of the program void.
std::string raise_ceiling(const Json& program, const std::string& priority) {
    const std::string of = program["group_gets"].value("highest_priority_of", "user");
    if (of == "rule")
        return "a rule leaves it priority " + std::to_string(ceiling_of(program)) +
               " at most (xcli rules); its author can raise that";
    const std::string whose = of == "group" ? program.value("cgroup", "") : user_name(program.value("uid", uid_t{0}));
    return "a limit leaves it priority " + std::to_string(ceiling_of(program)) + " at most; " + kByRoot +
           "raise that (xcli limit " + whose + ":highest-priority=" + priority + ")";
}

// Returns how the program comes before one of another user's, of which this user is not told the priority.
std::string be_more_urgent_than_hidden(const Json& program) {
    const int64_t ceiling = ceiling_of(program);
    if (counted_priority(program) >= ceiling && ceiling < PRIORITY_MAX) return raise_ceiling(program, "NUMBER");
    return "raise its priority (" + hint_priority(program, "NUMBER") +
           (ceiling < PRIORITY_MAX ? "; a limit leaves it " + std::to_string(ceiling) + " at most)" : ")");
}

// Returns the hint that the policy's own advice has a person change; null: it names none. Of several hints, the last
// one says how urgent the program is, and the others when that counts.
const base::HintInfo* hint_in(const std::string& advice) {
    const base::HintInfo* found = nullptr;
    for (const base::HintInfo& hint : base::kHints) {
        std::istringstream options(hint.words != nullptr ? hint.words : "");
        for (std::string option; std::getline(options, option, ',');)
            if (advice.find(" " + option + " ") != std::string::npos) found = &hint;
    }
    return found;
}

int64_t value_of(const base::HintInfo& hint, const Json& program) {
    return hints_of(program).value(hint.request, hint.fallback);
}

// Returns how to give another program less of a hint of which this one has the most there is.
std::string give_other_less(const base::HintInfo& hint, const Json* other) {
    if (other == nullptr) return kByPriority;
    const bool is_large = hint.merge == base::HintMerge::kLargest;
    const int64_t its = value_of(hint, *other);
    const bool can_be_less = is_large ? its > std::max<int64_t>(hint.least, 0) : its > 0 && its < hint.most;
    if (!can_be_less) return kByPriority;
    const std::string option = hint.words;
    const bool is_time = hint.kind == base::HintKind::kTarget || config::is_in_microseconds(hint);
    const char* const value = hint.most == 100 ? " PERCENT)" : is_time ? " TIME)" : " NUMBER)";
    return std::string(is_large ? "lower" : "raise") + " the other's " + hint_name(hint) + ", since its own is the " +
           (is_large ? "largest" : "smallest") + " there is (xcli hint " + std::to_string(pid_of(*other)) + " " +
           option.substr(0, option.find(',')) + value;
}

// Returns the length that 99 of 100 bursts of the program keep, rounded up to two digits, if its target is shorter;
// else 0. In microseconds.
int64_t reached_us(const Json& program) {
    auto us = std::llround(std::ceil(program["bursts"].value("p99_ms", 0.0) * 1000));
    const auto target = program.value("slo_p99", int64_t{0});
    // AUTO speaks of the last bursts; p99_ms is of all, also of those before there was a target.
    if (is_said(program, "policy_says", "its target is")) return 0;
    if (target <= 0 || us <= target) return 0;  // below 0 it is a percentage of the time alone
    int64_t step = 1;
    while (us / step >= 100) step *= 10;
    return (us + step - 1) / step * step;
}

// Returns advice about the target that policy AUTO reads. Empty: the program has none.
std::string other_target(const std::string& policy, const Json& program) {
    if (policy != "AUTO" || target_text(program).empty()) return "";
    // The policy's own remark has the time below which no target can be kept.
    if (is_said(program, "policy_says", "cannot be met"))
        return "give it a target that is longer than what AUTO says its bursts take (xcli hint " +
               std::to_string(pid_of(program)) + " --slo-p99 TIME)";
    const int64_t us = reached_us(program);
    const std::string time = us == 0          ? "TIME"
                             : us % 1000 == 0 ? std::to_string(us / 1000) + "ms"
                                              : std::to_string(us) + "us";
    return std::string("give it a ") + (us > 0 ? "target that it keeps beside the others" : "lower target") +
           (us > 0 ? ", such as " + time : "") + " (" + "xcli hint " + std::to_string(pid_of(program)) + " --slo-p99 " +
           time + ")";
}

// Returns the policy's own advice; that another program is to have less, if this one has the most there is; or to
// choose another policy.
std::string remedy_of(const std::string& policy, const Json& program, const Json* other) {
    std::string remedy = config::sooner_under(policy).advice;
    if (remedy.empty()) return kByPriority;
    if (const base::HintInfo* hint = hint_in(remedy)) {
        // A target counts once the lengths of bursts are known.
        const bool has_bursts = program.value("bursts", Json::object()).value("count", uint64_t{1}) > 0;
        if (hint->kind == base::HintKind::kTarget && !has_bursts) return kByPriority;
        if (const std::string target = other_target(policy, program); !target.empty()) return target;
        const int64_t own = value_of(*hint, program);
        if (hint->merge == base::HintMerge::kLargest ? own >= hint->most : own == 1)
            return give_other_less(*hint, other);
    }
    constexpr std::string_view kPid = "PID";
    if (const size_t at = remedy.find(kPid); at != std::string::npos)
        remedy.replace(at, kPid.size(), std::to_string(pid_of(program)));
    return remedy;
}

// Returns the program that holds this one, or another one on its device; null: there is none.
const Json* rival_of(const Json& answer, const Json& program, const Json* cause) {
    if (cause != nullptr) return cause;
    const std::vector<const Json*> others = neighbours(answer, program);
    return others.empty() ? nullptr : others.front();
}

}  // namespace

bool is_said(const Json& program, const char* key, const char* words) {
    const Json devices = program.value("devices", Json::array());
    return std::any_of(devices.begin(), devices.end(),
                       [&](const Json& device) { return device.value(key, "").find(words) != std::string::npos; });
}

int64_t counted_priority(const Json& program) {
    if (is_in_background(program)) return PRIORITY_MIN;
    return std::min(program.value("priority", int64_t{0}), ceiling_of(program));
}

std::vector<const Json*> neighbours(const Json& answer, const Json& program) {
    std::vector<const Json*> found;
    for (const Json& other : answer["programs"]) {
        if (other.value("client", 0U) == program.value("client", 0U)) continue;
        bool shares = false;
        for (const Json& mine : program["devices"])
            for (const Json& its : other["devices"]) shares = shares || mine["device"] == its["device"];
        if (shares) found.push_back(&other);
    }
    return found;
}

std::vector<const Json*> neighbours_at_work(const Json& answer, const Json& program) {
    std::vector<const Json*> found = neighbours(answer, program);
    std::erase_if(found, [](const Json* other) {
        const std::string state = other->value("state", "");
        const double got = got_percent(*other, 0);  // in a second; negative: not known
        const bool is_off = state != "runs" && got >= 0 && got < kLittlePercent;
        return state == "idle" ? got_percent(*other, 1) < kLittlePercent : is_off;
    });
    return found;
}

bool makes_room(const Json& program, const Json& other) {
    for (const Json& window : program["cost"])
        for (const Json& victim : window["victims"])
            if (window.value("seconds", 0) == 10 && victim.value("pid", int64_t{-1}) == pid_of(other) &&
                !victim.value("earlier_policy", false))
                return true;
    return false;
}

std::vector<const Json*> equals_at_work(const Json& answer, const Json& program) {
    std::vector<const Json*> found = neighbours_at_work(answer, program);
    const bool by_priority = !as_equals(answer).empty();
    std::erase_if(found, [&](const Json* other) {
        return makes_room(program, *other) || makes_room(*other, program) ||
               (by_priority && counted_priority(*other) != counted_priority(program));
    });
    return found;
}

std::string as_equals(const Json& answer) {
    return config::sooner_under(answer.value("policy", "")).by_priority ? " of its priority" : "";
}

const Json* program_of(const Json& answer, int64_t pid) {
    const Json& programs = answer["programs"];
    const auto found =
        std::find_if(programs.begin(), programs.end(), [pid](const Json& one) { return pid_of(one) == pid; });
    return found == programs.end() ? nullptr : &*found;
}

bool goes_by_priority(const Json& answer, const Json& program, const Json& by) {
    const std::string policy = answer.value("policy", "");
    const Json* cause = by.contains("pid") ? program_of(answer, pid_of(by)) : nullptr;
    return is_ranked_by_priority(policy, program) && (cause == nullptr || is_ranked_by_priority(policy, *cause));
}

std::string be_more_urgent(const Json& answer, const Json& program, const Json& by) {
    const Json* cause = by.contains("pid") ? program_of(answer, pid_of(by)) : nullptr;
    const bool is_hidden = !by.contains("pid") && !by.value("program", "").empty() && !by.value("ended", false);
    if (!goes_by_priority(answer, program, by))
        return remedy_of(answer.value("policy", ""), program, is_hidden ? nullptr : rival_of(answer, program, cause));
    if (is_hidden) return is_in_background(program) ? leave_background(program) : be_more_urgent_than_hidden(program);
    std::vector<const Json*> rivals = rivals_of(answer, program, cause);
    if (std::erase_if(rivals, [&](const Json* rival) { return is_of_its_gang(program, *rival); }) > 0 && rivals.empty())
        return "take it out of their gang, which has one priority (xcli hint " + std::to_string(pid_of(program)) +
               " --gang 0)";
    if (rivals.empty()) return "";
    if (is_in_background(program)) return leave_background(program);
    const int64_t own = counted_priority(program);
    int64_t highest = own;
    size_t before = 0;  // programs that are more urgent, and not merely beside it
    for (const Json* rival : rivals) {
        highest = std::max(highest, counted_priority(*rival));
        before += counted_priority(*rival) > own ? 1 : 0;
    }
    const std::string lower = hint_priority(*rivals.front(), std::to_string(std::max(own - 1, int64_t{PRIORITY_MIN})));
    const bool is_one = before == 1 && rivals.size() == 1;
    if (highest >= PRIORITY_MAX) return "lower the other's priority (" + lower + ")";
    const std::string raise = ceiling_of(program) > highest
                                  ? "raise its priority (" + hint_priority(program, std::to_string(highest + 1)) + ")"
                                  : raise_ceiling(program, std::to_string(highest + 1));
    return raise + (is_one ? ", or lower the other's (" + lower + ")" : "");
}

}  // namespace xsched::cli
