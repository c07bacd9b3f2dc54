#include "cli/admit/admission.h"

#include <algorithm>
#include <utility>

#include "base/did_you_mean.h"
#include "base/text.h"
#include "cli/program_facts.h"

namespace xsched::cli {
namespace {

// The simulated p99 may be this much of the target: the rest is for what the model lacks (docs/ADMIT.md: compared with
// the published workloads as measured).
constexpr double kTrusted = 0.98;
constexpr uint64_t kFewest = 20;  // safety: of fewer requests the longest says nothing

std::string length(double us) { return length_text(us / 1000); }

// Refuses a program for what it is alone.
Admission refuse(std::string sentence) {
    return {
        .kind = Admission::Kind::kRefused, .sentence = std::move(sentence), .predictions = {}, .waiting_helps = false};
}

// Returns the priority with which the candidate goes before the other programs.
int64_t priority_before(const Situation& situation) {
    constexpr int64_t kUsual = 10;  // as README and help have it
    int64_t most = kUsual - 1;
    for (size_t i = 0; i + 1 < situation.programs.size(); ++i) {
        const auto found = situation.programs[i].hints.find("priority");
        if (found != situation.programs[i].hints.end()) most = std::max<int64_t>(most, found->second);
    }
    return most + 1;
}

// `before`: the priority with which a candidate would go before the others.
std::string broken_text(const Prediction& prediction, const KnownProgram& program, bool is_candidate, int64_t before) {
    const std::string whose = is_candidate ? "" : program.called() + " would miss its target: ";
    const std::string target = length(prediction.target_us);
    if (prediction.p99_us == 0) return whose + program.name + " would hardly get the device beside the other programs";
    const bool may_be_raised = is_candidate && !program.hints.contains("priority") && before <= PRIORITY_MAX;
    return whose + "99 of 100 of its requests would take up to " + length(prediction.p99_us) + ", not " + target +
           (may_be_raised ? "; with a priority (-p " + std::to_string(before) + ") it would go before the others" : "");
}

Prediction prediction_of(const KnownProgram& program, const Json& result) {
    const Json& latency = result.at("latency_us");
    Prediction prediction{program.name, program.pid, program.target_us(), 0, false};
    if (latency.at("count").get<uint64_t>() >= kFewest) prediction.p99_us = latency.at("p99").get<double>();
    prediction.keeps = prediction.p99_us > 0 && prediction.p99_us <= prediction.target_us * kTrusted;
    return prediction;
}

std::string admitted_text(const std::vector<Prediction>& predictions, const Situation& situation) {
    const KnownProgram& candidate = situation.programs.back();
    const bool own = candidate.target_us() > 0;
    const size_t others = predictions.size() - (own ? 1 : 0);
    std::string text;
    if (own)
        text = "99 of 100 requests of " + candidate.name + " are expected to take at most " +
               length(predictions.back().p99_us) + " (target: " + length(candidate.target_us()) + ")";
    if (others > 0)
        text += std::string(text.empty() ? "" : "; ") + std::string(others > 1 ? "the targets of " : "the target of ") +
                base::counted(others, "other program") + (others > 1 ? " hold" : " holds") + " with it";
    return text;
}

// Splits "python3 serve.py" into the interpreter and the script's name without its ending.
std::pair<std::string, std::string> parts_of(const std::string& program) {
    const size_t gap = program.rfind(' ') + 1;  // 0: there is none
    const std::string last = program.substr(gap);
    return {program.substr(0, gap), last.substr(0, std::max<size_t>(last.rfind('.'), 1))};
}

// Returns the known program that was probably meant, as a suggestion. Scripts of one interpreter are compared by their
// own names.
std::string meant_program(const Situation& situation) {
    const auto [interpreter, script] = parts_of(situation.programs.back().name);
    std::vector<std::string> names;
    std::vector<std::string> scripts;
    for (const std::string& name : situation.known) {
        const auto [its_interpreter, its_script] = parts_of(name);
        if (its_interpreter != interpreter) continue;
        names.push_back(name);
        scripts.push_back(its_script);
    }
    const std::string best = base::nearest(scripts, script);
    if (best.empty() || best == script) return "";
    const auto at = std::find(scripts.begin(), scripts.end(), best) - scripts.begin();
    return " (did you mean \"" + names[static_cast<size_t>(at)] + "\"?)";
}

}  // namespace

const char* word_of(Admission::Kind kind) {
    switch (kind) {
        case Admission::Kind::kAdmitted: return "admitted";
        case Admission::Kind::kRefused: return "refused";
        case Admission::Kind::kUnknown: break;
    }
    return "unknown";
}

std::optional<Admission> judge_without_simulation(const Situation& situation) {
    const KnownProgram& candidate = situation.programs.back();
    bool any_target = false;
    for (const KnownProgram& program : situation.programs) any_target |= program.asks_for_target();
    if (!any_target && situation.named_device && situation.programs.size() == 1)
        return Admission{Admission::Kind::kAdmitted,
                         "no program works on device " + std::to_string(*situation.named_device) +
                             " now ('xcli list' shows the devices in use)",
                         {}};
    if (!any_target)
        return Admission{Admission::Kind::kAdmitted, "no program there has a target that it could miss", {}};
    for (const KnownProgram& program : situation.programs) {
        if (program.work) continue;
        if (&program != &candidate)
            return Admission{Admission::Kind::kUnknown,
                             "too little is known yet of " + program.called() + ", which runs on this device",
                             {},
                             "try again when it has worked for some seconds (--wait 30s)"};
        return Admission{Admission::Kind::kUnknown,
                         "nothing is known of " + candidate.name + meant_program(situation),
                         {},
                         "run it once on trial, with --unknown run" +
                             std::string(candidate.asks_for_target() ? "" : " and a --slo-p99")};
    }
    if (candidate.asks_for_target() && candidate.target_us() <= 0)
        return refuse(candidate.name +
                      " works without rests, so that its requests have no length, and it can have no target");
    if (const double target_us = candidate.target_us(); target_us > 0) {
        const double alone_us = quantile_of(candidate.work->request_us, 0.99);
        if (!candidate.work->endless && alone_us > target_us)
            return refuse("99 of 100 requests of " + candidate.name + " take up to " + length(alone_us) +
                          " in the time that it is not held, which is longer than " + length(target_us) +
                          " (as measured in its runs; programs of its priority beside it, which share the device with "
                          "it, make them longer than alone)");
    }
    return std::nullopt;
}

Admission judge(const Situation& situation, const Json& simulated) {
    const Json& results = simulated.at("runs").at(0).at("programs");
    Admission verdict{Admission::Kind::kAdmitted, "", {}};
    std::string broken;
    for (size_t i = 0; i < situation.programs.size(); ++i) {
        const KnownProgram& program = situation.programs[i];
        if (program.target_us() <= 0) continue;
        const Prediction& prediction = verdict.predictions.emplace_back(prediction_of(program, results.at(i)));
        if (prediction.keeps) continue;
        verdict.kind = Admission::Kind::kRefused;
        broken += (broken.empty() ? "" : "; ") +
                  broken_text(prediction, program, i + 1 == situation.programs.size(), priority_before(situation));
    }
    verdict.waiting_helps = situation.programs.size() > 1;
    verdict.sentence = broken.empty() ? admitted_text(verdict.predictions, situation) : broken;
    return verdict;
}

}  // namespace xsched::cli
