#include "cli/doctor/verdicts.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

#include "cli/doctor/main_job.h"
#include "cli/doctor/pause.h"

namespace xsched::cli {
namespace {

constexpr int kOldestRuntime = 50200000;  // ROCm 5.2, in the form of hipRuntimeGetVersion
constexpr double kOpenPatienceMs = 100;   // longest useful delay until the device sees a store that opens a gate
constexpr double kClearlySooner = 2;      // factor by which a later way must stop sooner to be preferred over an
                                          // earlier one
constexpr const char* kWays[] = {"update", "debug", "preempt"};  // ways that take running work off the device
constexpr const char* kMask = "mask";  // leaves running work there, on few compute units
constexpr double kSlower = 1.5;        // a kernel that takes this many times its length shows that the mask works

// An objection to a level, and the resulting verdict; empty: there is none.
struct Objection {
    std::string says;
    Use use = Use::kDoNotUse;
    bool missing() const { return use == Use::kNotTried; }
};
using Rule = Objection (*)(const Evidence& evidence);

std::string number(double value, const char* unit) {
    char text[64];
    snprintf(text, sizeof text, value < 10 ? "%.2g %s" : "%.0f %s", value, unit);
    return text;
}

const ChildResult* step(const Evidence& evidence, const std::string& name) {
    const auto found = evidence.steps.find(name);
    return found != evidence.steps.end() && found->second.ending != Ending::kNotRun ? &found->second : nullptr;
}

// Returns the objection of a step that did not end well. If it hung twice and the machine was busy again, it proves
// nothing: the step may only have lacked a processor.
Objection against_ending(const std::string& name, const ChildResult& result) {
    const std::string says = "the step \"" + name + "\" " + word_of(result.ending) + ": " + result.says;
    if (!result.again) return {says};
    const std::string busy = why_disturbed(result.load);
    if (busy.empty() || result.ending != Ending::kHung)
        return {says + " (the second try; the first was on a busy machine)"};
    return {says + " (twice); " + busy, Use::kNoVerdict};
}

// Returns the step's result if it is done. Otherwise sets the objection to all levels that need it.
const Json* done(const Evidence& evidence, const std::string& name, Objection& objection) {
    const ChildResult* result = step(evidence, name);
    if (result == nullptr)
        objection = {"the step \"" + name + "\" was not run", Use::kNotTried};
    else if (result->ending != Ending::kDone)
        objection = against_ending(name, *result);
    else
        return &result->found;
    return nullptr;
}

const Json* done(const Evidence& evidence, const std::string& name) {
    Objection unused;
    return done(evidence, name, unused);
}

// Returns the reason that files and settings give for a "no"; empty: none.
std::string setting_that_is_no(const Evidence& evidence) {
    for (const Finding& finding : evidence.findings)
        if (finding.answer == Answer::kNo && finding.what != "NUMA balancing" && finding.what != "cwsr_enable")
            return finding.what + ": " + finding.detail;
    return "";
}

const Finding* finding_on(const Evidence& evidence, const std::string& what) {
    for (const Finding& finding : evidence.findings)
        if (finding.what == what) return &finding;
    return nullptr;
}

Objection inexact(const char* where) {
    return {std::string("the result is wrong ") + where + ": a kernel was lost, repeated, or its state not kept"};
}

// Returns the reason in the shim's log for a missing level, as the end of a sentence; empty: none.
std::string shim_says(const Evidence& evidence, const std::string& name) {
    const ChildResult* result = step(evidence, name);
    for (const char* words : {"has no effect", "do not pause", "no preempt level", "lacks that level"}) {
        const size_t at = result != nullptr ? result->log.find(words) : std::string::npos;
        if (at == std::string::npos) continue;
        const size_t line = result->log.rfind("] ", at);
        const size_t begin = line == std::string::npos ? at : line + 2;
        return " (the shim says: " + result->log.substr(begin, result->log.find('\n', at) - begin) + ")";
    }
    return "";
}

// --- level 1

Objection against_runtime(const Evidence& evidence) {
    Objection objection;
    const Json* runtime = done(evidence, "runtime", objection);
    if (runtime == nullptr) return objection;
    const int version = runtime->value("runtime_version", 0);
    if (version < kOldestRuntime)
        return {"the runtime's version " + std::to_string(version / 10'000'000) + "." +
                std::to_string(version / 100'000 % 100) + " is too old: XSched takes those from ROCm 5.2 on"};
    return {};
}

Objection against_device(const Evidence& evidence) {
    Objection objection;
    const Json* device = done(evidence, "device", objection);
    if (device == nullptr) {
        const std::string likely = setting_that_is_no(evidence);
        if (step(evidence, "device") != nullptr && step(evidence, "device")->ending == Ending::kFailed &&
            !likely.empty())
            objection.says += "; the likely cause is " + likely;
        return objection;
    }
    return device->value("exact", false) ? Objection{} : inexact("without XSched, on the device alone");
}

Objection against_routes(const Evidence& evidence) {
    Objection objection;
    const Json* found = done(evidence, "routes", objection);
    if (found == nullptr) return objection;
    for (const Json& route : found->value("routes", Json::array())) {
        const std::string name = route.value("name", "");
        if (!route.value("there", false) || name == "table") continue;
        const int seen = route.value("seen", 0);
        if (seen == 0) return {"a launch by the route " + name + " is not seen by the shim"};
        if (seen > 1)
            return {"a launch by the route " + name + " is seen " + std::to_string(seen) +
                    " times: the runtime's calls of what it exports are taken for the program's"};
    }
    return {};
}

Objection against_stop(const Evidence& evidence, int level) {
    Objection objection;
    const std::string name = "stop " + std::to_string(level);
    const Json* stop = done(evidence, name, objection);
    if (stop == nullptr) return objection;
    if (!stop->value("stands", false)) return {"a suspended queue does not stop: its kernels go on completing"};
    const int after = stop->value("least_completed_after", 0);
    const bool completes = 2 * stop->value("rounds_completing", 0) > stop->value("rounds", 1);
    if (level == 2 && after > 1)
        return {"kernels that a suspended queue has in flight still start" + shim_says(evidence, name)};
    if (level == 3 && completes && best_way(evidence) != kMask)
        return {"the kernel that runs is not taken off: it completes after its queue is suspended" +
                shim_says(evidence, name)};
    if (!stop->value("exact", false)) return inexact("after suspending and resuming");
    return {};
}

// Judges a level, given its three jobs, which are done.
Judged judged_job(const Evidence& evidence, int level) {
    return judge_job(*step(evidence, "job alone"), *step(evidence, "job native"),
                     *step(evidence, "job " + std::to_string(level)));
}

Objection against_job(const Evidence& evidence, int level) {
    Objection objection;
    const Json* job = done(evidence, "job " + std::to_string(level), objection);
    if (job == nullptr) return objection;
    for (const char* who : {"urgent", "victim"})
        if (!(*job)[who].value("exact", false)) return inexact("in the main job");
    for (const char* needed : {"job alone", "job native"})
        if (done(evidence, needed, objection) == nullptr) return objection;
    const Judged judged = judged_job(evidence, level);
    return judged.gain == Gain::kGain ? Objection{} : Objection{judged.says, use_of(judged.gain)};
}

template <int level>
Objection against_stop(const Evidence& evidence) {
    return against_stop(evidence, level);
}
template <int level>
Objection against_job(const Evidence& evidence) {
    return against_job(evidence, level);
}

// --- level 2

Objection against_gate_of(const Json& gate, const char* name, const char* who) {
    if (!gate.contains(name)) return {};
    const Json& one = gate[name];
    if (const int code = one.value("code", 0); code != 0)
        return {"the runtime refuses to let a stream wait for a word (error " + std::to_string(code) + ")"};
    if (!one.value("held", false)) return {"a gate does not hold: the stream goes on before the word is stored"};
    const double ms = one.value("open_ms", 0.0);
    if (!one.value("opened", false))
        return {std::string("a gate never opens: the device does not see what ") + who + " stores"};
    if (ms > kOpenPatienceMs)
        return {std::string("the device sees what ") + who + " stores only after " + number(ms, "ms")};
    return {};
}

Objection against_gates(const Evidence& evidence) {
    Objection objection;
    const Json* gate = done(evidence, "gate", objection);
    if (gate == nullptr) return objection;
    if (const int code = gate->value("register_code", 0); code != 0)
        return {"the runtime does not take shared memory for a device to wait on (error " + std::to_string(code) + ")"};
    for (const auto& [name, who] : {std::pair{"this_process", "this process"}, {"other_process", "another process"}})
        if (objection = against_gate_of(*gate, name, who); !objection.says.empty()) return objection;
    return gate->value("report_seen", true) ? Objection{} : Objection{"what a stream writes is not seen by the host"};
}

Objection against_pause(const Evidence& evidence) {
    Objection objection;
    const Json* pause = done(evidence, "pause", objection);
    return pause == nullptr ? objection : Objection{why_no_pause(*pause)};
}

// --- level 3

Objection against_saving(const Evidence& evidence) {
    const Finding* saving = finding_on(evidence, "cwsr_enable");
    if (saving == nullptr || saving->answer != Answer::kNo) return {};
    return {"cwsr_enable: " + saving->detail};
}

Objection against_way(const Evidence& evidence, const std::string& name) {
    Objection objection;
    const Json* way = done(evidence, "way " + name, objection);
    if (way == nullptr) return objection;
    if (const int error = way->value("errno", 0); error != 0) return {"refused (" + way->value("error", "") + ")"};
    if (2 * way->value("stood", 0) <= way->value("rounds", 1))
        return {"without effect: the kernel that runs completes"};
    if (!way->value("exact", false)) return {"the result is wrong afterwards"};
    return {};
}

Objection against_mask(const Evidence& evidence) {
    Objection objection;
    const Json* mask = done(evidence, "way mask", objection);
    if (mask == nullptr) return objection;
    if (const int error = mask->value("errno", 0); error != 0) return {"refused (" + mask->value("error", "") + ")"};
    if (mask->value("times_slower", 0.0) < kSlower)
        return {"without effect: on " + std::to_string(mask->value("units", 0)) +
                " compute units a kernel takes as long as on all"};
    if (!mask->value("exact", false)) return {"the result is wrong afterwards"};
    return {};
}

Objection against_all_ways(const Evidence& evidence) {
    if (!best_way(evidence).empty()) return {};
    std::string text;
    bool missing = true, unproved = false;
    for (const char* name : kWays) {
        const Objection objection = against_way(evidence, name);
        missing = missing && objection.missing();
        unproved = unproved || objection.use == Use::kNoVerdict;
        text += std::string(text.empty() ? "" : "; ") + name + ": " + objection.says;
    }
    if (missing) return {"no way of the kernel driver's was tried", Use::kNotTried};
    if (const Objection objection = against_mask(evidence); !objection.missing()) text += "; mask: " + objection.says;
    if (unproved) return {"no way of taking queues off the GPU is proved: " + text, Use::kNoVerdict};
    return {"no way of taking queues off the GPU works: " + text};
}

// --- all levels

// Returns the rules in the order in which reasons are given. Each level needs the levels below it.
std::vector<Rule> rules_of(const std::string& platform, int level) {
    const bool ascend = platform == "ascend";
    const bool streams = platform != "opencl" && !ascend;
    const bool hip = platform == "hip";
    std::vector<Rule> rules;
    const auto add = [&](bool wanted, Rule rule) {
        if (wanted) rules.push_back(rule);
    };
    add(hip, against_runtime);
    add(true, against_device);
    add(streams, against_routes);
    add(level == 1, against_stop<1>);
    add(level == 1, against_job<1>);
    add(level >= 2 && streams, against_gates);
    add(level == 2 && ascend, against_pause);
    add(level == 2, against_stop<2>);
    add(level == 2, against_job<2>);
    add(level == 3 && hip, against_saving);
    add(level == 3 && hip, against_all_ways);
    add(level == 3, against_stop<3>);
    add(level == 3, against_job<3>);
    return rules;
}

// Returns the strongest objection: a refusal, then a step that was not run, then figures without a gain (their rules
// are the last of `rules`). Returns an empty one if no rule objects.
Objection strongest(const Evidence& evidence, const std::vector<Rule>& rules) {
    Objection first;
    for (Rule rule : rules) {
        Objection objection = rule(evidence);
        if (objection.says.empty()) continue;
        if (objection.use == Use::kDoNotUse) return objection;
        if (first.says.empty()) first = objection;
    }
    return first;
}

std::string why_none(const Evidence& evidence, int level) {
    if (evidence.platform == "ascend" && level == 3) return "CANN has no way to take a running kernel off its NPU";
    if (evidence.platform != "opencl" || level == 1) return "";
    if (level == 3) return "OpenCL has no way to take a running kernel off its device";
    return evidence.opencl_guards ? "" : "this build has no guards (XSCHED_OPENCL_GUARDS=OFF)";
}

}  // namespace

std::vector<Verdict> judge(const Evidence& evidence) {
    std::vector<Verdict> verdicts;
    for (int level = 1; level <= 3; ++level) {
        if (const std::string none = why_none(evidence, level); !none.empty()) {
            verdicts.push_back({level, Use::kNone, none, {}});
            continue;
        }
        const Objection objection = strongest(evidence, rules_of(evidence.platform, level));
        Verdict verdict{level, objection.use, objection.says, {}};
        if (objection.says.empty()) verdict = {level, Use::kUse, judged_job(evidence, level).says, {}};
        if (verdict.use == Use::kUse || verdict.use == Use::kNothingToGain)
            verdict.environment = environment_for(evidence, level);
        verdicts.push_back(verdict);
    }
    return verdicts;
}

std::string best_way(const Evidence& evidence) {
    std::string best;
    double soonest_us = 0;
    for (const char* name : kWays) {
        if (!against_way(evidence, name).says.empty()) continue;
        const double us = done(evidence, std::string("way ") + name)->value("stop_us", 0.0);
        if (best.empty() || us * kClearlySooner < soonest_us) {
            best = name;
            soonest_us = us;
        }
    }
    // The CU mask is used only if no other way works: it leaves a victim part of the device, while the other ways stop
    // it.
    if (best.empty() && against_mask(evidence).says.empty()) return kMask;
    return best;
}

}  // namespace xsched::cli
