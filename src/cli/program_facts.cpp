#include "cli/program_facts.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/device_called.h"
#include "cli/hint_facts.h"
#include "cli/size_text.h"
#include "host/kernel_queues.h"
#include "xsched/types.h"

namespace xsched::cli {
namespace {

std::string percent(double number) {
    char text[32];
    snprintf(text, sizeof(text), "%.0f", number);
    return number < 0 ? "?" : text;
}

std::string asked(const Json& program) {
    std::string text = "asked for: priority " + std::to_string(program.value("priority", int64_t{0}));
    const int64_t share = program.value("share", int64_t{0});
    const int64_t limit = program.value("limit", int64_t{0});
    const int64_t highest =
        program.value("group_gets", Json::object()).value("highest_priority", int64_t{PRIORITY_MAX});
    if (highest < program.value("priority", int64_t{0})) text += ", of which a limit leaves " + std::to_string(highest);
    if (share > 0) text += ", a share of " + std::to_string(share) + " percent";
    if (limit > 0) text += ", at most " + std::to_string(limit) + " percent";
    if (const Json& counts = share_that_counts(program); &counts != &program) {
        text += program.contains("user_gets") ? "; its user has together" : "; its control group has together";
        if (const auto all = counts.value("share", int64_t{0}); all > 0)
            text += " a share of " + std::to_string(all) + " percent";
        if (const auto most = counts.value("limit", int64_t{100}); most < 100)
            text += std::string(text.ends_with("percent") ? "," : "") + " at most " + std::to_string(most) + " percent";
    }
    const std::string others = hints_text(program, {"share", "limit", "memory_limit", "memory_guarantee"});
    if (!others.empty()) text += ", " + others;
    const int64_t level = program.value("level", int64_t{0});
    const int64_t best = program.value("best_level", int64_t{0});
    text += "; preempt level " + std::to_string(level);
    if (const std::string pauses = program.value("level_pauses", ""); !pauses.empty()) return text + ": " + pauses;
    if (best > level) text += " (its device has level " + std::to_string(best) + ")";
    return text;
}

std::string got(const Json& program) {
    if (got_percent(program, 2) < 0) return "got: measured since this question; ask again in a second";
    std::string text = "got: " + percent(got_percent(program, 0)) + "/" + percent(got_percent(program, 1)) + "/" +
                       percent(got_percent(program, 2)) + " percent of " + devices_of(program) +
                       " in the last 1/10/60 s";
    for (const Json& device : program["devices"])
        if (const std::string why = device.value("why_less", ""); !why.empty()) text += "; less than its share: " + why;
    if (program.value("followed", true)) return text;
    return text + "; no program of another priority competes: counted from its launches to the ends of its waits";
}

// Returns the sentence about the program's memory; empty if nothing is known of it.
std::string memory(const Json& program) {
    const auto bytes = [&program](const char* key) { return program.value(key, uint64_t{0}); };
    if (bytes("memory_on_card") + bytes("memory_on_host") + bytes("memory_limit") + bytes("memory_guarantee") == 0)
        return "";
    std::string text = "memory: " + size_text(bytes("memory_on_card")) + " on the device";
    if (bytes("memory_movable") > 0) text += " (" + size_text(bytes("memory_movable")) + " may be moved)";
    if (bytes("memory_on_host") > 0) text += ", " + size_text(bytes("memory_on_host")) + " on the host";
    if (bytes("memory_limit") > 0) text += ", at most " + size_text(bytes("memory_limit"));
    if (bytes("memory_guarantee") > 0) text += ", of which " + size_text(bytes("memory_guarantee")) + " stay";
    if (bytes("memory_swaps") > 0) text += "; moved " + base::counted(bytes("memory_swaps"), "time");
    if (const double waited = program.value("memory_waited_ms", 0.0); waited > 0)
        text += "; waited " + length_text(waited) + " for memory";
    return text;
}

std::string held(const Json& program) {
    std::string text = "held:";
    for (const Json& window : program["held"]) {
        const auto holds = window.value("holds", uint64_t{0});
        text += (text.back() == ':' ? " " : ", ") + length_text(held_ms(window)) + " (" +
                (holds == 1                                  ? "once"
                 : holds == 0 && window.value("ms", 0.0) > 0 ? "without a pause"
                                                             : std::to_string(holds) + " times") +
                ") in " + std::to_string(window.value("seconds", int64_t{0})) + " s";
    }
    return text + "; longest of the last 60 s " + length_text(program["held"].back().value("longest_ms", 0.0));
}

// Returns a loss of time as text with two digits behind the point, since it is an estimate.
std::string loss_text(double ms) {
    char text[32];
    snprintf(text, sizeof(text), "%.2f ms", ms);
    return text;
}

// Returns how the program was kept off: "by interrupt; expected loss 0.19 ms (gate 0.41 ms)", the loss being the more
// urgent program's burst's. Empty: not known, or not
// in the last 60 s.
std::string kept_off(const Json& program) {
    const Json known = program.value("kept_off", Json());
    if (!known.is_object() || held_ms(program["held"].back()) <= 0) return "";
    const std::string by = known.value("mechanism", "");
    std::string loss, others;
    for (const Json& candidate : known.value("candidates", Json::array())) {
        const std::string word = candidate.value("mechanism", "");
        const std::string text = loss_text(candidate.value("urgent_loses_ms", 0.0));
        if (word == by)
            loss = "; expected loss " + text;
        else
            others += (others.empty() ? "" : ", ") + word + " " + text;
    }
    return "kept off: by " + by + loss + (others.empty() ? "" : " (" + others + ")");
}

std::string quantiles(const Json& lengths) {
    return "p50 " + length_text(lengths.value("p50_ms", 0.0)) + ", p99 " + length_text(lengths.value("p99_ms", 0.0)) +
           " of " + std::to_string(lengths.value("count", uint64_t{0}));
}

// Returns the lengths of its bursts, and of its requests: a program's queue may run empty many times in one request.
std::string lengths(const Json& program) {
    const auto known = [&program](const char* key) {
        const Json all = program.value(key, Json::object());
        return all.value("count", uint64_t{0}) == 0 ? "" : quantiles(all);
    };
    const std::string bursts = known("bursts");
    const std::string requests = known("request_lengths");
    if (bursts.empty()) return "";
    return "bursts: " + bursts + " that were followed" +
           (requests.empty() ? "" : "; joined over pauses below 1 ms, without the time held: " + requests);
}

std::string costs(const Json& program) {
    const Json& cost = program["cost"].back();
    std::string text;
    for (const Json& victim : cost["victims"]) {
        const std::string pid =
            victim.contains("pid") ? "pid " + std::to_string(victim.value("pid", int64_t{0})) + " (" : "";
        text += (text.empty() ? "costs others: " : ", ") + pid + victim.value("program", "") +
                (pid.empty()                    ? ""
                 : victim.value("ended", false) ? ", which has ended)"
                                                : ")") +
                " " + length_text(victim.value("ms", 0.0));
    }
    return text.empty() ? "costs others: nothing in the last 60 s" : text + " in the last 60 s";
}

}  // namespace

double held_ms(const Json& window) { return std::min(window.value("ms", 0.0), window.value("seconds", 0.0) * 1000); }

double got_percent(const Json& program, size_t window) {
    double all = -1;
    for (const Json& device : program["devices"]) {
        const Json& got = device["got_percent"];
        if (got.is_array() && window < got.size() && got[window].is_number())
            all = std::max(all, 0.0) + got[window].get<double>();
    }
    return all;
}

std::string devices_of(const Json& program) {
    std::string text;
    for (const Json& device : program["devices"]) text += (text.empty() ? "" : ", ") + device_called(device);
    return text;
}

std::string crowd_text(const Json& program) {
    const auto number = [](const Json& device, const char* key) {
        const auto found = device.find(key);
        return found != device.end() && found->is_number() ? found->get<uint64_t>() : 0;
    };
    for (const Json& device : program["devices"]) {
        const uint64_t queues = number(device, "driver_queues");
        const uint64_t at_once = number(device, "most_driver_queues");
        if (at_once != 0 && queues > at_once) return device_called(device) + " " + hip::turns_text(queues, at_once);
    }
    return "";
}

void add_details(const std::string& policy, const Json& program, Explained& explained) {
    if (program.value("queues", uint64_t{0}) == 0) return;
    const double since_ms = program.value("held_since_ms", 0.0);
    const std::string state = program.value("state", "");
    if (state == "held" || (state == "suspended" && since_ms > 0))
        explained.details.push_back("now: " + state + " for " + length_text(since_ms));
    explained.details.push_back(asked(program));
    if (std::string text = ignored_text(program, policy); !text.empty()) explained.details.push_back(std::move(text));
    for (const Json& device : program["devices"])
        if (const std::string note = device.value("policy_says", ""); !note.empty()) explained.details.push_back(note);
    explained.details.push_back(got(program));
    if (std::string text = memory(program); !text.empty()) explained.details.push_back(std::move(text));
    explained.details.push_back(held(program));
    if (std::string text = kept_off(program); !text.empty()) explained.details.push_back(std::move(text));
    if (std::string text = lengths(program); !text.empty()) explained.details.push_back(std::move(text));
    explained.details.push_back(costs(program));
}

}  // namespace xsched::cli
