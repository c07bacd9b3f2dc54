#include "cli/explain/held_sentence.h"

#include <algorithm>
#include <vector>

#include "cli/program_facts.h"

namespace xsched::cli {
namespace {

// Holds that no one notices: in all less than this part of the time, and none longer than so many ms. (A server's
// bursts of 12 ms were held for 1.8 ms in ten seconds, 65 us at the most, and what slowed them was not said.)
constexpr double kLittlePart = 0.001;
constexpr double kLittleMs = 1;
constexpr double kGoodPart = 0.2;  // of the holds: such a cause is told beside the first one (judgement)
constexpr double kPastMs = 1000;  // since the last hold: from then on it is told as past ("judgement")

std::string times(uint64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

// Returns whom the program made room for; empty: no other program was the cause, and the text of the cause says it.
std::string behind(const Json& by) {
    if (by.value("itself", false)) return "behind another queue of its own";
    if (by.contains("pid") || !by.value("program", "").empty()) return "behind " + whom(by);
    return "";
}

// Returns how the program was held, if that is worth mentioning.
std::string through(const Json& by, const Json& program) {
    const std::string mechanism = by.value("mechanism", "");
    const double command_ms = program.value("command_ms", 0.0);
    const std::string kernels = command_ms > 0 ? "its commands of " + length_text(command_ms) : "its commands";
    if (mechanism.starts_with("interrupt") && program.value("slowed", false))
        return "; " + kernels + " are kept to few compute units, where they go on (level 3)";
    if (mechanism.starts_with("interrupt")) return "; " + kernels + " were taken off the device (level 3)";
    if (mechanism == "timeslice") return "; a short timeslice in the hardware let the other one in (level 3)";
    return "";
}

// Returns what held the program, if no other program did.
std::string by_what(const Json& by) {
    const std::string reason = by.value("reason", "");
    if (reason == "limited") return "by a limit";
    if (reason == "held") return "by a person";
    if (reason == "no_execute") return "by its priority -256";
    return "by the policy";
}

}  // namespace

const Json* telling_window(const Json& program) {
    for (const Json& held : program["held"]) {
        const double little_ms = held.value("seconds", 0.0) * 1000 * kLittlePart;
        const bool is_noticed = held.value("ms", 0.0) >= little_ms || held.value("longest_ms", 0.0) >= kLittleMs;
        if (is_noticed && held.value("ms", 0.0) >= kLittleMs && !held["by"].empty()) return &held;
    }
    return nullptr;
}

std::string not_us(const Json& program, const std::string& rest) {
    const Json windows = program.value("held", Json::array());
    const double ms = windows.empty() ? 0 : held_ms(windows.back());
    return "not us: XSched " + (ms < kLittleMs ? "did not hold it" : "held it for no more than " + length_text(ms)) +
           " in the last 60 s" + rest;
}

std::string held_parts(const Json& held) {
    struct Part {
        std::string why;
        double ms = 0;
        uint64_t holds = 0;
    };
    std::vector<Part> parts;  // a rival may be one for several reasons
    for (const Json& by : held["by"]) {
        const std::string rival = behind(by);
        const std::string why = rival.empty() ? by_what(by) : rival;
        auto part = std::find_if(parts.begin(), parts.end(), [&why](const Part& one) { return one.why == why; });
        if (part == parts.end()) part = parts.insert(part, {why});
        part->ms += by.value("ms", 0.0);
        part->holds += by.value("holds", uint64_t{0});
    }
    std::erase_if(parts, [&held](const Part& one) { return one.ms < kGoodPart * held.value("ms", 0.0); });
    std::string text;
    for (const Part& part : parts)
        text +=
            (text.empty() ? "of these: " : "; ") + length_text(part.ms) + " (" + times(part.holds) + ") " + part.why;
    return parts.size() > 1 ? text : "";
}

std::string whom(const Json& by) {
    if (!by.contains("pid")) return by.value("program", "another program");
    std::string text = "pid " + std::to_string(by.value("pid", int64_t{0})) + " (" + by.value("program", "");
    if (by.contains("priority")) text += ", priority " + std::to_string(counted_priority(by));
    return text + (by.value("ended", false) ? ", which has ended)" : ")");
}

bool is_over(const Json& held, const Json& program) {
    const double ago_ms = held["by"].empty() ? 0.0 : held["by"].front().value("ago_ms", 0.0);
    return ago_ms >= kPastMs && program.value("held_since_ms", 0.0) < ago_ms;
}

std::string held_sentence(const Json& held, const Json& program) {
    const Json& by = held["by"];
    const auto seconds = held.value("seconds", int64_t{0});
    std::string text = "held " + length_text(held_ms(held)) + " in the last " +
                       (seconds == 1 ? "second" : std::to_string(seconds) + " s");
    if (by.empty()) return text;
    if (is_over(held, program)) text += ", until " + length_text(by.front().value("ago_ms", 0.0)) + " ago";
    const Json& most = by.front();
    const auto holds = most.value("holds", uint64_t{0});
    const std::string rival = behind(most);
    text += rival.empty() ? holds > 1 ? ", " + times(holds) : "" : ": " + (holds > 0 ? times(holds) + " " : "") + rival;
    return text + ", longest " + length_text(std::min(held.value("longest_ms", 0.0), held_ms(held))) +
           through(most, program);
}

}  // namespace xsched::cli
