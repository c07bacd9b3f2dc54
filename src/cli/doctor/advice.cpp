// Advice of doctor --run that does not speak against any level (verdicts.h).
#include <algorithm>
#include <cstdio>

#include "cli/doctor/pause.h"
#include "cli/doctor/verdicts.h"

namespace xsched::cli {
namespace {

constexpr double kStandsMs = 10;    // a call that takes longer is blocked
constexpr double kInTurns = 1.7;    // two kernels that take this many times as long as one did not run together
constexpr double kDearGateUs = 50;
constexpr double kDearSwitchUs = 5;  // a smaller difference is within the noise of a launch (judgement)
constexpr double kNoticed = 1.5;

using Sentences = std::vector<std::string>;

const Json* found_in(const Evidence& evidence, const char* step) {
    const auto result = evidence.steps.find(step);
    return result != evidence.steps.end() && result->second.ending == Ending::kDone ? &result->second.found : nullptr;
}

std::string rounded(double number, const char* unit) {
    char text[32];
    snprintf(text, sizeof text, "%.0f %s", number, unit);
    return text;
}

void about_sharing(const Evidence& evidence, Sentences& all) {
    const Json* sharing = found_in(evidence, "sharing");
    if (sharing == nullptr) return;
    std::string streams;
    for (const Json& stream : sharing->value("held_back", Json::array()))
        streams += (streams.empty() ? "" : ", ") + std::to_string(stream.get<int>());
    if (!streams.empty())
        all.push_back(
            "of nine streams, those with the numbers " + streams +
            " share stream 1's hardware queue: a closed gate on one holds the others back; give urgent work a "
            "process of its own, or raise GPU_MAX_HW_QUEUES");
    const double alone = sharing->value("alone_ms", 0.0);
    const Json together = sharing->value("together_ms", Json::array());
    const auto in_turns = std::count_if(together.begin(), together.end(),
                                        [&](const Json& ms) { return ms.get<double>() > kInTurns * alone; });
    if (!together.empty() && in_turns == static_cast<long>(together.size()))
        all.push_back("kernels of two streams never run together here, whatever their streams");
}

void about_standing(const Evidence& evidence, Sentences& all) {
    const Json* standing = found_in(evidence, "standing");
    if (standing == nullptr) return;
    for (const auto& [name, what] :
         {std::pair{"synchronize", "synchronizes"}, {"copy", "copies to memory that the runtime does not know"}}) {
        const Json& found = (*standing)[name];
        const double ms = std::max(found.value("query_ms", 0.0), found.value("record_ms", 0.0));
        if (ms >= kStandsMs)
            all.push_back(std::string("the runtime holds a stream's lock while a thread ") + what +
                          ": another thread's call waited for " + rounded(ms, "ms"));
    }
}

void about_gates(const Evidence& evidence, Sentences& all) {
    const Json* gate = found_in(evidence, "gate");
    if (gate == nullptr || !gate->contains("gate")) return;
    const double us = (*gate)["gate"].value("together_us", 0.0);
    if (us < kDearGateUs) return;
    all.push_back("a gate takes " + rounded(us, "us") + " here: expect so much more for each that goes into a stream");
}

// Advises about the cost of switches between processes. GPUs that run processes side by side have no such switch.
void about_switches(const Evidence& evidence, Sentences& all) {
    const Json* found = found_in(evidence, "switch");
    const double us = found != nullptr ? found->value("switch_us", 0.0) : 0;
    if (us < kDearSwitchUs) return;
    all.push_back("the hardware's switch from one program to another takes " + rounded(us, "us") + " here");
}

void about_runtime(const Evidence& evidence, Sentences& all) {
    const Json* runtime = found_in(evidence, "runtime");
    if (runtime == nullptr) return;
    const Json libraries = runtime->value("libraries", Json::array());
    if (libraries.size() < 2) return;
    std::string names;
    for (const Json& name : libraries) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    all.push_back("one process has several HIP runtimes (" + names + "): memory and streams belong to one of them");
}

void about_torch(const Evidence& evidence, Sentences& all) {
    const auto torch = evidence.steps.find("torch");
    if (torch == evidence.steps.end()) return;
    const ChildResult& result = torch->second;
    if (result.ending == Ending::kNotRun) return;
    if (result.ending != Ending::kDone)
        all.push_back("PyTorch cannot be imported under the shim: " + result.says +
                      " (if it can without it, send what --save has written)");
    else if (result.found.value("there", false) && !result.found.value("device", false))
        all.push_back("PyTorch " + result.found.value("torch", "") + " finds no device: is it a build for this GPU?");
}

void about_other_program(const std::string& way, const Json& found, Sentences& all) {
    const double quiet_ms = found["quiet"].value("p99_ms", 0.0), ms = found["disturbed"].value("p99_ms", 0.0);
    if (ms < kNoticed * quiet_ms) return;
    char text[200];
    snprintf(text, sizeof text,
             "suspending queues by %s disturbs other programs: the p99 of one's bursts goes from %.2g to %.2g ms",
             way.c_str(), quiet_ms, ms);
    all.push_back(text);
}

// Returns what the step found; nullptr: nothing, or the driver refused it, which `refused` then says.
const Json* permitted(const Evidence& evidence, const char* step, const char* refused, Sentences& all) {
    const Json* found = found_in(evidence, step);
    if (found == nullptr || found->value("errno", 0) == 0) return found;
    all.push_back(refused + found->value("error", ""));
    return nullptr;
}

// Advises about HIP's CU mask. It is left to the user, since it is used only if no other way works.
void about_mask(const Evidence& evidence, Sentences& all) {
    const Json* mask = permitted(evidence, "way mask", "victims cannot be kept to few compute units: ", all);
    if (mask == nullptr) return;
    if (!mask->contains("beside") || mask->value("times_slower", 0.0) < kNoticed || !mask->value("exact", false))
        return;
    const auto p50_of = [&](const char* what) { return (*mask)["beside"][what].value("p50_ms", 0.0); };
    char text[400];
    snprintf(
        text, sizeof text,
        "with XSCHED_HIP_INTERRUPT=mask a victim goes on on %d compute units (its kernels take %.1f times as long): "
        "an urgent program's bursts take %.2g ms beside it, %.2g ms beside a victim with all units, %.2g ms alone",
        mask->value("units", 0), mask->value("times_slower", 0.0), p50_of("few_units"), p50_of("all_units"),
        p50_of("alone"));
    all.push_back(text);
}

void about_priority(const Evidence& evidence, Sentences& all) {
    const Json* found =
        permitted(evidence, "way priority", "the kernel driver refuses to change a queue's priority: ", all);
    if (found == nullptr) return;
    if (!found->contains("beside")) return;
    const auto p50_of = [&](const char* what) { return (*found)["beside"][what].value("p50_ms", 0.0); };
    const bool helps = p50_of("lowest") * kNoticed <= p50_of("equal");
    char text[400];
    snprintf(text, sizeof text,
             "the hardware's queue priorities %s: an urgent program's bursts take %.2g ms beside a victim with the "
             "lowest one, %.2g ms beside an equal one, %.2g ms alone (programs that use HSA get them from XSched)",
             helps ? "help" : "do not help here", p50_of("lowest"), p50_of("equal"), p50_of("alone"));
    all.push_back(text);
}

void about_ways(const Evidence& evidence, Sentences& all) {
    for (const char* name : {"update", "debug"}) {
        const Json* way = found_in(evidence, (std::string("way ") + name).c_str());
        if (way == nullptr) continue;
        if (way->value("stood", 0) < way->value("rounds", 0))
            all.push_back(std::string("level 3 by the way ") + name + ": in " + std::to_string(way->value("stood", 0)) +
                          " of " + std::to_string(way->value("rounds", 0)) +
                          " rounds the kernel was stopped; in others it completed");
        if (way->contains("other_program")) about_other_program(name, (*way)["other_program"], all);
        if (way->value("errno", 0) == 0) continue;
        all.push_back(std::string("level 3 by the way ") + name + " is refused: " + way->value("error", ""));
    }
}

void about_pause(const Evidence& evidence, Sentences& all) {
    const Json* pause = found_in(evidence, "pause");
    if (const std::string seen = pause != nullptr ? pause_text(*pause) : ""; !seen.empty()) all.push_back(seen);
}

}  // namespace

std::vector<std::string> advice(const Evidence& evidence) {
    Sentences all;
    about_runtime(evidence, all);
    about_torch(evidence, all);
    about_sharing(evidence, all);
    about_standing(evidence, all);
    about_gates(evidence, all);
    about_switches(evidence, all);
    about_ways(evidence, all);
    about_mask(evidence, all);
    about_pause(evidence, all);
    about_priority(evidence, all);
    for (const Finding& finding : evidence.findings)
        if (finding.what == "NUMA balancing" && finding.answer == Answer::kNo)
            all.push_back("NUMA balancing is on: " + finding.detail);
    return all;
}

}  // namespace xsched::cli
