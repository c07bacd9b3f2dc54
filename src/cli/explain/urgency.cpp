#include "cli/explain/urgency.h"

#include <algorithm>
#include <string_view>

#include "base/hints.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"
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
    return "a limit leaves it priority " + std::to_string(ceiling_of(program)) +
           " at most; root or the server's own user can raise that (xcli limit " + whose +
           ":highest-priority=" + priority + ")";
}

// Returns how the program comes before one of another user's, of which this user is not told the priority.
std::string be_more_urgent_than_hidden(const Json& program) {
    const int64_t ceiling = ceiling_of(program);
    if (counted_priority(program) >= ceiling && ceiling < PRIORITY_MAX) return raise_ceiling(program, "NUMBER");
    return "raise its priority (" + hint_priority(program, "NUMBER") +
           (ceiling < PRIORITY_MAX ? "; a limit leaves it " + std::to_string(ceiling) + " at most)" : ")");
}

// Returns the policy's own advice, or to choose another one.
std::string remedy_of(const std::string& policy, const Json& program) {
    std::string remedy = config::sooner_under(policy).advice;
    if (remedy.empty()) return kByPriority;
    constexpr std::string_view kPid = "PID";
    if (const size_t at = remedy.find(kPid); at != std::string::npos)
        remedy.replace(at, kPid.size(), std::to_string(pid_of(program)));
    return remedy;
}

// Returns whether the policy's own advice is a larger utilization, and the program has the largest already.
bool has_most_utilization(const std::string& policy, const Json& program) {
    return config::sooner_under(policy).advice.find(" -u ") != std::string::npos &&
           hints_of(program).value("utilization", int64_t{UTILIZATION_DEFAULT}) >= UTILIZATION_MAX;
}

// Returns how to lower the utilization of the program that holds this one, or of another one on its device.
std::string lower_utilization(const Json& answer, const Json& program, const Json* cause) {
    const std::vector<const Json*> others = neighbours(answer, program);
    const Json* other = cause != nullptr || others.empty() ? cause : others.front();
    if (other == nullptr) return kByPriority;
    return "lower the other's part of the turns, since its own is the largest there is (xcli hint " +
           std::to_string(pid_of(*other)) + " -u PERCENT)";
}

}  // namespace

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
            if (window.value("seconds", 0) == 10 && victim.value("pid", int64_t{-1}) == pid_of(other)) return true;
    return false;
}

std::vector<const Json*> equals_at_work(const Json& answer, const Json& program) {
    std::vector<const Json*> found = neighbours_at_work(answer, program);
    const bool by_priority = !as_equals(answer).empty();
    std::erase_if(found, [&](const Json* other) {
        return by_priority ? counted_priority(*other) != counted_priority(program)
                           : makes_room(program, *other) || makes_room(*other, program);
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

std::string remedy_by_policy(const std::string& policy, const Json& program) {
    return is_ranked_by_priority(policy, program) ? "" : remedy_of(policy, program);
}

std::string be_more_urgent(const Json& answer, const Json& program, const Json& by) {
    const std::string policy = answer.value("policy", "");
    const Json* cause = by.contains("pid") ? program_of(answer, pid_of(by)) : nullptr;
    if (!is_ranked_by_priority(policy, program) || (cause != nullptr && !is_ranked_by_priority(policy, *cause)))
        return has_most_utilization(policy, program) ? lower_utilization(answer, program, cause)
                                                     : remedy_of(policy, program);
    const bool is_hidden = !by.contains("pid") && !by.value("program", "").empty() && !by.value("ended", false);
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
