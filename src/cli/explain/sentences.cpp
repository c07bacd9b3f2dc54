#include "cli/explain/sentences.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/explain/copying.h"
#include "cli/explain/held_causes.h"
#include "cli/explain/held_sentence.h"
#include "cli/explain/other_users.h"
#include "cli/explain/unknown_program.h"
#include "cli/explain/urgency.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"
#include "cli/size_text.h"
#include "host/kernel_queues.h"

namespace xsched::cli {
namespace {

constexpr double kLongCommandMs = 1;    // ms: such a command occupies a device longer than a person may want to wait
constexpr double kShortCommandMs = 0.02;
constexpr double kBusyPercent = 85;
constexpr double kSeldomPercent = 50;
constexpr double kNewS = 60;
constexpr const char* kProfiler = "the program itself or the device is slow: use the vendor's profiler";

// Returns a less urgent neighbour with long commands and no level 3, so that it cannot be interrupted; null: there is
// none.
const Json* long_kernels(const std::vector<const Json*>& others, const Json& program) {
    for (const Json* other : others) {
        if (other->value("command_ms", 0.0) < kLongCommandMs || other->value("level", 0) >= 3) continue;
        if (counted_priority(*other) < counted_priority(program)) return other;
    }
    return nullptr;
}

// A program that was not held lately.
struct Free {
    const Json& answer;
    const Json& program;
    std::vector<const Json*> others;  // programs at work on its devices
    std::vector<const Json*> equals;  // those of them that the policy ranks as it
    OtherUsers hidden;                // programs of other users at work on its devices
    double got = 0;                   // percent of its devices that it had in ten seconds; negative: not known
    double command_ms = 0;

    double used() const { return std::max(got_percent(program, 1), 0.0); }
    bool is_seldom_busy() const { return got >= 0 && got < kSeldomPercent; }
    std::string percent() const {
        char text[32] = "";
        if (got >= 0) snprintf(text, sizeof(text), "%.0f percent", got);
        return text;
    }
};

// Returns whether the program was held in the last minute for another user's program, about which the server's answer
// tells this user nothing.
bool holds_anothers(const Json& program) {
    for (const Json& window : program["cost"])
        for (const Json& victim : window["victims"])
            if (!victim.contains("pid") && !victim.value("ended", false)) return true;
    return false;
}

// Finds that programs of other users had a good part of its devices.
bool find_other_users(const Free& free, Explained& result) {
    const bool rests = free.program.value("state", "") == "idle" && free.used() <= 0;
    if (free.hidden.at_work == 0 || free.got >= kBusyPercent || rests) return false;
    if (free.hidden.got >= 0 && free.used() + free.hidden.got < kSeldomPercent) return false;
    tell_other_users(free.answer, free.program, holds_anothers(free.program), result);
    return true;
}

// Finds that the program itself keeps its device busy, is alone there, or that another user's program made room for it.
bool find_own_work(const Free& free, Explained& result) {
    if (free.got >= kBusyPercent) {
        result.finding = WhySlow::kItsOwnWork;
        result.headline = not_us(free.program, "; the device worked for it " + free.percent() + " of the time");
        result.advice = "its own commands take that long: use the vendor's profiler";
        return true;
    }
    const bool is_alone = neighbours(free.answer, free.program).empty();
    if (free.hidden.at_work > 0) return false;
    if (!free.others.empty() || (!is_alone && free.program.value("state", "") == "idle")) return false;
    if (holds_anothers(free.program)) {
        result.finding = WhySlow::kShares;
        result.headline = not_us(free.program, "; another user's program made room for it in the last 60 s");
        result.advice = kProfiler;
        return true;
    }
    result.finding = WhySlow::kAlone;
    result.headline =
        not_us(free.program, is_alone ? ", and it is alone on its device" : ", and no other works on its device");
    result.advice = kProfiler;
    return true;
}

bool find_long_kernels(const Free& free, Explained& result) {
    const Json* other = long_kernels(free.others, free.program);
    if (other == nullptr) return false;
    result.finding = WhySlow::kLongKernels;
    result.not_us = false;
    result.headline = "not held, but it must wait for what already runs on its device: commands of " + whom(*other) +
                      " take " + length_text(other->value("command_ms", 0.0)) + ", and nothing takes them off";
    result.advice = other->value("best_level", 0) >= 3
                        ? "allow level 3 for it: xcli run -l 3, or xcli config -x QUEUE -l 3"
                        : "'xcli doctor' says why this device has no level 3; otherwise make these commands shorter";
    return true;
}

// Finds that the program's commands wait at the driver for an event of the host, of another program or of another
// device.
bool find_wait(const Free& free, Explained& result) {
    if (!free.program.value("waits_for_host", false)) return false;
    result.finding = WhySlow::kWaitsForHost;
    result.headline = not_us(free.program, "; its commands wait for its host, another program or another device");
    result.advice = "see what sets the event, value or semaphore that they wait for: use a host profiler";
    return true;
}

bool find_lost_claim(const Free& free, Explained& result) {
    if (!free.program.value("lost_claim", false)) return false;
    result.finding = WhySlow::kLostClaim;
    result.not_us = false;
    result.headline =
        "not held, but it lost its claim: it has had the device for over 2 s, and twice as long as its longest command "
        "so far, and none completed; others run beside it until one does";
    result.advice = "let it complete one such command: the next ones keep their place. Or divide the command";
    return true;
}

// Finds that the program's GPU has more queues than its hardware takes at once. This cause comes before those that rest
// on measured command lengths, which then include the turns of other queues.
bool find_crowded(const Free& free, Explained& result) {
    const std::string crowd = crowd_text(free.program);
    if (crowd.empty() || free.program.value("state", "") == "idle") return false;
    result.finding = WhySlow::kCrowded;
    result.headline = not_us(free.program, "; " + crowd);
    result.advice = hip::kFewerQueues;
    return true;
}

// Explains a program that gives the device too little work to be slowed by others. Returns false if that is not the
// case.
bool find_pauses(const Free& free, Explained& result) {
    if (free.is_seldom_busy() && free.command_ms > 0 && free.command_ms < kShortCommandMs) {
        result.finding = WhySlow::kShortCommands;
        result.headline =
            not_us(free.program, "; it used the device " + free.percent() + " of the time, with commands of " +
                                     length_text(free.command_ms) + " each");
        result.advice = "commands this short cost more to launch than to run: batch them, or use graphs";
        return true;
    }
    if (free.is_seldom_busy() && free.got > 0 && free.program.value("completed", uint64_t{0}) > 0) {
        result.finding = WhySlow::kHost;
        result.headline = not_us(free.program, "; it gave the device work only " + free.percent() + " of the time");
        result.advice = "it waits for the CPU, its data or itself: use a host profiler";
        return true;
    }
    if (free.program.value("state", "") != "idle") return false;
    result.finding = WhySlow::kIdle;
    result.headline = not_us(free.program, ", and it has no work now");
    return true;
}

// Returns what makes the program come before those that run beside it.
std::string advice_beside(const Json& answer, const Json& program) {
    const std::string urgent = be_more_urgent(answer, program, Json::object());
    if (urgent.empty()) return kProfiler;
    if (!goes_by_priority(answer, program, Json::object())) return "to come first, " + urgent;
    return "to come first, " + urgent + ", or have all get shares (xcli policy -s PUP; xcli hint " +
           std::to_string(program.value("pid", int64_t{0})) + " --share PERCENT)";
}

void tell_shares(const Free& free, Explained& result) {
    if (free.others.empty()) return tell_other_users(free.answer, free.program, holds_anothers(free.program), result);
    const bool are_equals = !free.equals.empty();
    const std::vector<const Json*>& beside = are_equals ? free.equals : free.others;
    const std::string more = beside.size() > 1 ? " and " + std::to_string(beside.size() - 1) + " more" : "";
    result.finding = WhySlow::kShares;
    const bool made_room = !are_equals && makes_room(free.program, *beside.front());
    const std::string hidden = free.hidden.at_work > 0 ? " and " + free.hidden.text() : "";
    const std::string others = whom(*beside.front()) + more;
    result.headline =
        not_us(free.program, made_room ? "; " + others + " made room for it"
                                       : "; it runs beside " + others + (are_equals ? as_equals(free.answer) : "") +
                                             hidden + ", as the hardware divides the device");
    result.advice = made_room ? kProfiler : advice_beside(free.answer, free.program);
}

// Finds that its equals use the device for a good part of the time in which it could.
bool find_equals(const Free& free, Explained& result) {
    if (free.equals.empty() || (free.program.value("state", "") == "idle" && free.used() <= 0)) return false;
    double used = free.used() + std::max(free.hidden.got, 0.0);
    bool runs = false;
    for (const Json* other : free.equals) {
        used += std::max(got_percent(*other, 1), 0.0);
        runs = runs || got_percent(*other, 1) < 0;
    }
    if (!runs && used < kSeldomPercent) return false;
    tell_shares(free, result);
    return true;
}

Explained not_held(const Json& answer, const Json& program) {
    const Free free{.answer = answer,
                    .program = program,
                    .others = neighbours_at_work(answer, program),
                    .equals = equals_at_work(answer, program),
                    .hidden = other_users(program),
                    .got = program.value("followed", true) ? got_percent(program, 1) : -1.0,
                    .command_ms = program.value("command_ms", 0.0)};
    Explained result;
    result.not_us = true;
    if (!find_just_held(program, result) && !find_wait(free, result) && !find_lost_claim(free, result) &&
        !find_crowded(free, result) && !find_copies(answer, program, free.others, result) &&
        !find_equals(free, result) && !find_other_users(free, result) && !find_own_work(free, result) &&
        !find_long_kernels(free, result) && !find_pauses(free, result))
        tell_shares(free, result);
    return result;
}

// Adds to a cause that is over that others of its priority share the device with the program now.
void add_equals(const Json& answer, const Json& program, Explained& result) {
    const size_t equals = equals_at_work(answer, program).size();
    if (!result.advice.empty() || equals == 0 || as_equals(answer).empty()) return;
    result.headline += "; now it runs beside " + base::counted(equals, "other") + as_equals(answer);
    result.advice = advice_beside(answer, program);
}

// Returns how long the program has waited for memory; empty if it has not.
std::string waited_text(const Json& program) {
    const double ms = program.value("memory_waited_ms", 0.0);
    return ms > 0 ? "; it has waited " + length_text(ms) + " for memory so far" : "";
}

// Finds the facts that come before all others, whatever was measured. Returns false if none applies.
bool find_plain(const Json& answer, const Json& program, Explained& result) {
    const std::string pid = std::to_string(program.value("pid", int64_t{0}));
    result.not_us = true;
    if (program.value("stopped", false)) {
        result.finding = WhySlow::kStopped;
        result.headline = "not us: the process is stopped by a signal, or its control group is frozen";
        result.advice =
            "kill -CONT " + pid + ", or thaw the group with what froze it (docker unpause, scontrol resume)";
    } else if (program.value("queues", uint64_t{0}) == 0) {
        result = without_queues(program);
    } else if (program.value("memory_sent_away", false)) {
        result.finding = WhySlow::kWaitsForMemory;
        result.headline = "it waits for its memory: a person has sent it to the host (xcli suspend --memory)";
        if (program.value("memory_by_driver", false)) result.headline += "; moved by the driver's checkpoint";
        result.advice = "xcli resume " + pid;
        result.not_us = false;
    } else if (program.value("memory_on_host", uint64_t{0}) > 0) {
        result.finding = WhySlow::kWaitsForMemory;
        result.headline = "it waits for its memory: " + size_text(program.value("memory_on_host", uint64_t{0})) +
                          " are on the host until there is room on the device" + waited_text(program);
        result.advice =
            "end what is more urgent, or give this program a higher priority: xcli hint " + pid + " -p NUMBER";
        result.not_us = false;
    } else if (program.value("suspended_by_itself", false)) {
        result.finding = WhySlow::kSuspendedByItself;
        result.headline = "not us: the program itself suspended a queue (XQueueSuspend)";
        result.advice = "it has to call XQueueResume";
    } else if (program.value("unscheduled", uint64_t{0}) > 0) {
        result.finding = WhySlow::kUnscheduled;
        const auto beyond = program.value("unscheduled", uint64_t{0});
        result.headline = std::to_string(beyond) + " of its queues " +
                          (beyond == 1 ? "is beyond its user's limit: it runs, but is not scheduled"
                                       : "are beyond its user's limit: they run, but are not scheduled");
        result.advice = std::string(kByRoot) + "raise the limit (xcli limit " +
                        user_name(program.value("uid", uid_t{0})) + ":queues=NUMBER), or use fewer queues";
        result.not_us = false;
    } else if (answer.value("restarts", int64_t{0}) > 0 && answer.value("uptime_s", kNewS) < 2 &&
               telling_window(program) == nullptr) {
        result.finding = WhySlow::kServerIsNew;
        result.headline = "the server was lost and started again " + length_text(1000 * answer.value("uptime_s", 0.0)) +
                          " ago: until then the program ran unscheduled";
        result.advice = "see the server's log for why";
        result.not_us = false;
    } else {
        return false;
    }
    return true;
}

}  // namespace

Explained explain(const Json& answer, const Json& program) {
    Explained result;
    if (!find_plain(answer, program, result)) {
        // A program that a person suspended is held for no other one, whatever its holds were before.
        const Json* held = telling_window(program);
        const bool by_person = held != nullptr && (*held)["by"].front().value("reason", "") == "held";
        if (program.value("state", "") == "suspended" && !by_person) held = nullptr;
        result = held != nullptr ? held_cause(answer, program, *held) : not_held(answer, program);
        if (std::string parts = held != nullptr ? held_parts(*held) : ""; !parts.empty())
            result.details.push_back(std::move(parts));
        if (held != nullptr) add_equals(answer, program, result);
    }
    add_details(answer.value("policy", ""), program, result);
    if (const std::string crowd = crowd_text(program); !crowd.empty() && result.finding != WhySlow::kCrowded)
        result.details.push_back(crowd + "; " + hip::kFewerQueues);
    if (result.advice.find("xcli policy -s") != std::string::npos && !answer.value("may_set_policy", true))
        result.advice += "; an administrator sets the policy (root, the server's own user, the group xsched)";
    return result;
}

std::string explained_text(const Json& program, const Explained& explained) {
    std::string text = "pid " + std::to_string(program.value("pid", int64_t{0})) + " (" + program.value("program", "") +
                       "): " + explained.headline + "\n";
    for (const std::string& detail : explained.details) text += "    " + detail + "\n";
    if (!explained.advice.empty()) text += "    what to do: " + explained.advice + "\n";
    return text;
}

Json explained_json(const Json& program, const Explained& explained) {
    return {{"pid", program.value("pid", int64_t{0})},
            {"program", program.value("program", "")},
            {"finding", finding_word(explained.finding)},
            {"not_us", explained.not_us},
            {"headline", explained.headline},
            {"details", explained.details},
            {"advice", explained.advice},
            {"facts", program}};
}

}  // namespace xsched::cli
