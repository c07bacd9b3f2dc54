#include "cli/doctor/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "cli/doctor/device_costs.h"
#include "cli/doctor/main_job.h"
#include "cli/doctor/private_server.h"
#include "cli/doctor/report.h"
#include "cli/doctor/steps.h"
#include "cli/doctor/surroundings.h"
#include "cli/doctor/verdicts.h"
#include "cli/drivers.h"
#include "host/device_costs.h"

namespace xsched::cli {
namespace {

constexpr double kMostSeconds = 110;  // of the whole
constexpr double kJobStartsS = 1.5;  // duration of a main job beyond its measurement
constexpr double kLeastJobS = 1;
constexpr int kRounds = 2;  // rounds of each main job, in turns, so that a change of the machine affects all of them
constexpr double kShortJobS = 2;  // a main job that measures for less has one round
constexpr int kCouldNotRun = 2;

// The program that doctor runs to start a probe: env finds the probe by its name in PATH, as a shell does for users.
constexpr const char* kEnv = "/usr/bin/env";
constexpr const char* kImportTorch = R"(
import importlib.util, json, sys
found = {"ok": True, "python": sys.version.split()[0], "there": importlib.util.find_spec("torch") is not None}
if found["there"]:
    print("doing: importing torch", file=sys.stderr, flush=True)
    import torch
    print("doing: asking torch for a device", file=sys.stderr, flush=True)
    found.update(torch=torch.__version__, hip=getattr(torch.version, "hip", None), cuda=torch.version.cuda,
                 device=torch.cuda.is_available(), at=torch.__file__)
    words = "amdhip", "hsa-runtime", "hiprtc", "rocprofiler", "libcuda.so", "libshim"
    found["libraries"] = sorted({line.split()[-1] for line in open("/proc/self/maps") if any(w in line for w in words)})
print(json.dumps(found))
)";

bool on_path(const std::string& program) {
    std::istringstream folders(getenv("PATH") != nullptr ? getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

bool has_word(const std::string& list, const std::string& word, char divider) {
    std::istringstream words(list);
    for (std::string one; std::getline(words, one, divider);)
        if (one == word) return true;
    return false;
}

bool has_trials(const PlatformInfo& platform) { return *platform.trials != '\0'; }

const PlatformInfo& platform_called(const std::string& name) {
    std::vector<std::string> names;
    bool is_known = false;
    for (const PlatformInfo& platform : kPlatforms) {
        is_known |= name == platform.name;
        if (!has_trials(platform)) continue;
        if (name == platform.name) return platform;
        names.emplace_back(platform.name);
    }
    throw Failure("--platform " + name + (is_known ? " has no trials" : " is none") + base::instead(names, name));
}

// Returns the platform to try. GPUs' own platforms come before OpenCL, which processors have, too.
const PlatformInfo& choose_platform(const std::string& name) {
    if (!name.empty()) return platform_called(name);
    for (auto platform = std::rbegin(kPlatforms); platform != std::rend(kPlatforms); ++platform)
        if (has_trials(*platform) && driver_is_there(*platform) && may_have_device(*platform)) return *platform;
    throw Failure("no platform's driver is found: 'xcli doctor' says what is missing");
}

// Returns LD_PRELOAD without our shims, for native runs.
std::string preloaded_without_shims() {
    const char* present = getenv("LD_PRELOAD");
    std::istringstream list(present != nullptr ? present : "");
    std::string kept;
    for (std::string entry; std::getline(list, entry, ':');)
        if (!entry.empty() && entry.find("/libshim") == std::string::npos) kept += (kept.empty() ? "" : ":") + entry;
    return kept;
}

class Run {
public:
    Run(const DoctorRun& asked, const PlatformInfo& platform)
        : asked_(asked), platform_(platform), installation_(find_installation()), began_(base::now_ns()) {
        const std::string private_folder = installation_.library_directory + "/xsched";
        probe_ = private_folder + "/probe_" + platform.name;
        evidence_.platform = platform.name;
        const Machine machine(asked.root == "/" ? "" : asked.root);
        if (!machine.exists("/")) throw Failure("--root " + asked.root + " is not a folder that can be looked into");
        evidence_.findings = findings_of(platform.name, machine, installation_);
        evidence_.surroundings = surroundings(machine, platform.saved_files);
#ifndef XSCHED_OPENCL_GUARDS
        evidence_.opencl_guards = false;
#endif
    }

    const Evidence& evidence() const { return evidence_; }

    void run_all() {
        for (const Step& step : kSteps)
            if (wanted(step) && !is_job(step)) evidence_.steps[step.name] = try_twice(step);
        for (rounds_left_ = rounds(); rounds_left_ > 0; --rounds_left_)
            for (const Step& step : kSteps)
                if (wanted(step) && is_job(step)) add_job(step);
    }

private:
    static bool is_torch(const Step& step) { return strcmp(step.trial, "torch") == 0; }
    static bool is_job(const Step& step) { return strcmp(step.trial, "job") == 0; }
    int rounds() const { return asked_.seconds < kShortJobS ? 1 : kRounds; }

    void add_job(const Step& step) {
        ChildResult& all = evidence_.steps[step.name];
        const bool first = rounds_left_ == rounds();
        if (!first && all.ending != Ending::kDone) return;
        const ChildResult round = try_twice(step);
        // If no time was left for the round, the results of earlier rounds are kept.
        if (first || round.ending != Ending::kNotRun) add_round(all, round);
    }

    // Runs a step, and again if a busy machine may have spoiled it: a hang, or figures of the main job.
    ChildResult try_twice(const Step& step) {
        ChildResult result = try_once(step);
        const bool spoiled = result.ending == Ending::kHung || (is_job(step) && result.ending == Ending::kDone);
        if (!spoiled || why_disturbed(result.load).empty()) return result;
        ChildResult again = try_once(step);
        const bool better = again.load.others + again.load.stolen < result.load.others + result.load.stolen;
        if (again.ending == Ending::kNotRun || (result.ending == Ending::kDone && !better)) return result;
        again.again = true;
        return again;
    }

    ChildResult try_once(const Step& step) {
        ChildResult result = why_not(step);
        if (!result.says.empty()) return result;
        XLOG_INFO("doctor: %s ...", step.proves);
        const LoadWatch watch(server_ ? server_->pid() : 0);
        result = run_guarded(words_for(step), variables_for(step), time_for(step));
        result.load = watch.stop();
        add_quantiles(result.found);
        return result;
    }

    bool wanted(const Step& step) const {
        return has_word(platform_.trials, step.trial, ' ') && step.level <= platform_.most_level &&
               step.from_level <= asked_.level && (asked_.only.empty() || has_word(asked_.only, step.name, ',')) &&
               !(step.level == 2 && strcmp(platform_.name, "opencl") == 0 && !evidence_.opencl_guards);
    }

    double spent_s() const { return static_cast<double>(base::now_ns() - began_) / 1e9; }

    // Returns a result with a sentence if the step is not to be run.
    ChildResult why_not(const Step& step) {
        ChildResult result;
        if (is_torch(step) && !on_path("python3"))
            result.says = "there is no python3";
        else if (access(probe_.c_str(), X_OK) != 0)
            result.says = probe_ + " is not there: this build has no such platform";
        else if (spent_s() > kMostSeconds)
            result.says = "no time was left";
        else if (strcmp(step.trial, "device") != 0 && strcmp(step.trial, "runtime") != 0 && !device_answered())
            result.says = "the device runs no kernel";
        else if (step.under != Under::kNothing && shim().empty())
            result.says = std::string(platform_.shim) + " is not in " + installation_.library_directory;
        else if (step.under == Under::kServer && !server())
            result.says = "no xserver can be started";
        return result;
    }

    bool device_answered() const {
        const auto device = evidence_.steps.find("device");
        return device == evidence_.steps.end() || device->second.ending == Ending::kDone;
    }

    double steps_per_ms() const {
        const auto device = evidence_.steps.find("device");
        return device != evidence_.steps.end() && device->second.ending == Ending::kDone
                   ? device->second.found.value("steps_per_ms", 0.0)
                   : 0;
    }

    std::string shim() const {
        for (const Shim& shim : installation_.shims)
            if (shim.platform == &platform_) return shim.path;
        return "";
    }

    bool server() {
        if (!server_) server_.emplace(installation_.server);
        return server_->ready();
    }

    double time_for(const Step& step) const {
        const double patience = asked_.patience_s > 0 ? asked_.patience_s : step.patience_s;
        return std::min(patience + 1.5 * measured_s(step), std::max(kMostSeconds + 5 - spent_s(), 1.0));
    }

    // Returns how long the step measures. The main jobs come last, and share the time that earlier steps left.
    double measured_s(const Step& step) const {
        if (!is_job(step)) return step.share * asked_.seconds;
        const double asked = step.share * asked_.seconds / rounds();
        double left_s = kMostSeconds - spent_s();
        double shares = 0;
        for (const Step& job : kSteps) {
            if (!is_job(job) || !wanted(job)) continue;
            const int times = &job < &step ? rounds_left_ - 1 : rounds_left_;
            left_s -= kJobStartsS * times;
            shares += job.share * times;
        }
        return std::max(std::min(asked, left_s * step.share / shares), std::min(asked, kLeastJobS));
    }

    std::vector<std::string> words_for(const Step& step) const {
        if (is_torch(step)) return {kEnv, "python3", "-c", kImportTorch};
        std::vector<std::string> words{probe_,           step.trial,
                                       "--seconds",      std::to_string(measured_s(step)),
                                       "--steps-per-ms", std::to_string(steps_per_ms())};
        std::string way = step.way;
        if (way == "gates" && !gates_work()) way.clear();
        if (!way.empty()) words.insert(words.end(), {"--way", way});
        return words;
    }

    bool gates_work() const {
        const auto gate = evidence_.steps.find("gate");
        return gate != evidence_.steps.end() && gate->second.ending == Ending::kDone &&
               gate->second.found.contains("gate");
    }

    Variables variables_for(const Step& step) const {
        const std::string others = preloaded_without_shims();
        Variables variables{{"LD_PRELOAD", others}};
        if (step.under == Under::kNothing) return variables;
        variables["LD_PRELOAD"] = shim() + (others.empty() ? "" : ":" + others);
        variables["XSCHED_SCHEDULER"] = step.under == Under::kServer ? "global" : "app";
        variables["XLOG_LEVEL"] = step.under == Under::kTrace ? "DEBG" : "INFO";
        variables["XLOG_FILE"] = "";
        if (step.under == Under::kServer) variables["XSCHED_SOCKET"] = server_->socket();
        if (step.level > 0) variables.merge(environment_for(evidence_, step.level));
        return variables;
    }

    const DoctorRun& asked_;
    const PlatformInfo& platform_;
    const Installation installation_;
    const int64_t began_;
    std::string probe_;
    Evidence evidence_;
    std::optional<PrivateServer> server_;
    int rounds_left_ = 0;  // rounds left of the main jobs, with the present one
};

bool nothing_tried(const Evidence& evidence) {
    return std::none_of(evidence.steps.begin(), evidence.steps.end(), [](const auto& step) {
        const Ending ending = step.second.ending;
        return ending == Ending::kHung || ending == Ending::kCrashed ||
               (ending == Ending::kDone && step.first != "runtime");
    });
}

}  // namespace

int run_doctor(const DoctorRun& asked) {
    Run run(asked, choose_platform(asked.platform));
    run.run_all();
    const std::vector<Verdict> verdicts = judge(run.evidence());
    show_run(asked, run.evidence(), verdicts);
    if (asked.keep) keep_costs(run.evidence(), host::device_costs_path(), asked.json);
    if (nothing_tried(run.evidence())) return kCouldNotRun;
    const bool all = std::all_of(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) {
        const bool works = verdict.use == Use::kUse || verdict.use == Use::kNothingToGain || verdict.use == Use::kNone;
        return verdict.level > asked.level || works;
    });
    return all ? 0 : 1;
}

}  // namespace xsched::cli
