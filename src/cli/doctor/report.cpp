#include "cli/doctor/report.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "cli/doctor/main_job.h"
#include "cli/doctor/steps.h"
#include "cli/show.h"
#include "cli/time_text.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

std::string processor() {
    const Machine machine("");
    for (const std::string& line : machine.lines("/proc/cpuinfo"))
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::string found_text(const Evidence& evidence, const char* key) {
    const auto device = evidence.steps.find("device");
    if (device == evidence.steps.end() || device->second.ending != Ending::kDone) return "none answered";
    return device->second.found.value(key, "");
}

// Returns the main result: the urgent and the other program alone, natively and at each level.
Json main_job(const Evidence& evidence) {
    Json jobs = Json::array();
    for (const Step& step : kSteps) {
        const auto result = evidence.steps.find(step.name);
        if (std::string_view(step.trial) != "job" || result == evidence.steps.end()) continue;
        Json one = result->second.found.is_object() ? result->second.found : Json::object();
        one.erase("ok");
        if (one.contains("urgent")) one["urgent"].erase("latency_us");  // the step has these values
        one["run"] = step.level > 0 ? "level " + std::to_string(step.level) : std::string(step.name).substr(4);
        one["ending"] = word_of(result->second.ending);
        jobs.push_back(one);
    }
    return jobs;
}

// Returns the kernel driver's events that a probe saw (platform/hip/probe/smi_events.h).
Json driver_events(const std::string& log) {
    constexpr std::string_view kMark = "kfd event: ";
    constexpr size_t kMostEvents = 200;  // most events of a step; an eviction has two
    Json found = Json::array();
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line) && found.size() < kMostEvents;)
        if (line.starts_with(kMark)) found.push_back(line.substr(kMark.size()));
    return found;
}

Json metrics_of(const Evidence& evidence, const std::vector<Verdict>& verdicts) {
    Json levels = Json::array(), steps = Json::array(), settings = Json::array();
    for (const Verdict& verdict : verdicts)
        levels.push_back({{"level", verdict.level},
                          {"verdict", word_of(verdict.use)},
                          {"because", verdict.because},
                          {"environment", verdict.environment}});
    for (const Step& step : kSteps) {
        const auto result = evidence.steps.find(step.name);
        if (result == evidence.steps.end()) continue;
        const ChildResult& found = result->second;
        Json one = {{"step", step.name},
                    {"proves", step.proves},
                    {"ending", word_of(found.ending)},
                    {"seconds", found.seconds},
                    {"load", {{"others", found.load.others}, {"stolen", found.load.stolen}, {"idle", found.load.idle}}},
                    {"found", found.found}};
        if (found.again) one["again"] = "the first try was disturbed by a busy machine";
        if (!found.says.empty()) one["says"] = found.says;
        if (found.ending != Ending::kDone) one["log"] = found.log;
        if (const Json events = driver_events(found.log); !events.empty()) one["driver_events"] = events;
        if (!found.threads.is_null()) one["threads"] = found.threads;
        steps.push_back(one);
    }
    for (const Finding& finding : evidence.findings)
        settings.push_back({{"what", finding.what}, {"answer", word(finding.answer)}, {"detail", finding.detail}});
    return {{"levels", levels},
            {"main_job", main_job(evidence)},
            {"steps", steps},
            {"settings", settings},
            {"machine", evidence.surroundings}};
}

std::string status_of(const std::vector<Verdict>& verdicts) {
    const char* status = "PASS";
    for (const Verdict& verdict : verdicts) {
        if (verdict.use == Use::kDoNotUse) return "FAIL";
        if (verdict.use == Use::kNotTried || verdict.use == Use::kNoVerdict) status = "SKIP";
    }
    return status;
}

std::string environment_text(const Variables& variables) {
    std::string text;
    for (const auto& [name, value] : variables) text += " " + name + "=" + value;
    return text;
}

// Returns whether the next step was left out for the same reason: the reason is printed once, after the last of them.
bool says_the_next_too(const Evidence& evidence, const Step& step) {
    const ChildResult& result = evidence.steps.at(step.name);
    for (const Step* next = &step + 1; next < std::end(kSteps); ++next) {
        const auto found = evidence.steps.find(next->name);
        if (found != evidence.steps.end())
            return result.ending == Ending::kNotRun && found->second.ending == Ending::kNotRun &&
                   found->second.says == result.says;
    }
    return false;
}

std::string hardware_text(const Evidence& evidence) {
    const auto device = evidence.steps.find("device");
    if (device != evidence.steps.end() && device->second.ending == Ending::kDone)
        return found_text(evidence, "device") + ", " + found_text(evidence, "driver");
    const auto runtime = evidence.steps.find("runtime");
    if (runtime == evidence.steps.end() || runtime->second.ending != Ending::kDone) return "no device answered";
    const int version = runtime->second.found.value("runtime_version", 0);
    return "no device answered; the runtime is version " + std::to_string(version / 10'000'000) + "." +
           std::to_string(version / 100'000 % 100);
}

std::string verdict_text(const Verdict& verdict, const std::string& levels) {
    const char* before = verdict.use == Use::kUse ? ": " : ", because ";
    std::string text = levels + ": " + word_of(verdict.use) + before + verdict.because + "\n";
    if (!verdict.environment.empty()) text += "         with" + environment_text(verdict.environment) + "\n";
    return text;
}

// Returns the verdicts as text. A verdict that all levels share is printed once.
std::string verdicts_text(const std::vector<Verdict>& verdicts) {
    const bool alike = std::all_of(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) {
        return verdict.use != Use::kUse && verdict.use == verdicts[0].use && verdict.because == verdicts[0].because;
    });
    if (alike && verdicts.size() > 1) return verdict_text(verdicts[0], "all levels");
    std::string text;
    for (const Verdict& verdict : verdicts) text += verdict_text(verdict, "level " + std::to_string(verdict.level));
    return text;
}

// Returns the table of main jobs; empty if none was done.
std::string jobs_text(const Evidence& evidence) {
    console::Table jobs(job_headings());
    bool any = false;
    for (const Step& step : kSteps) {
        const auto result = evidence.steps.find(step.name);
        if (std::string_view(step.trial) != "job" || result == evidence.steps.end()) continue;
        if (result->second.ending != Ending::kDone) continue;
        jobs.add(job_row(std::string(step.name).substr(4), result->second));
        any = true;
    }
    return any ? jobs.text() + job_legend() + "\n" : "";
}

std::string for_people(const Evidence& evidence, const std::vector<Verdict>& verdicts) {
    console::Table settings({"SETTING", "ANSWER", "DETAIL"});
    for (const Finding& finding : evidence.findings) settings.add({finding.what, word(finding.answer), finding.detail});
    console::Table steps({"STEP", ">SECONDS", "ENDING", "WHAT IT TRIES"});
    for (const Step& step : kSteps) {
        const auto result = evidence.steps.find(step.name);
        if (result == evidence.steps.end()) continue;
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.1f", result->second.seconds);
        steps.add({step.name, seconds, word_of(result->second.ending), step.proves});
        if (!result->second.says.empty() && !says_the_next_too(evidence, step))
            steps.add({"", "", "", result->second.says});
    }
    std::string text = settings.text() + "\n" + steps.text() + "\n" + jobs_text(evidence) + hardware_text(evidence) +
                       "\n\n" + verdicts_text(verdicts);
    for (const std::string& sentence : advice(evidence)) text += "note: " + sentence + "\n";
    return text;
}

}  // namespace

std::vector<Finding> findings_of(const std::string& platform, const Machine& machine,
                                 const Installation& installation) {
    std::vector<Finding> all;
#define PLATFORM(name, ...)                                                \
    if (platform == #name) {                                               \
        all = look_at_##name(machine, installation).findings;              \
        const std::vector<Finding> settings = settings_of_##name(machine); \
        all.insert(all.end(), settings.begin(), settings.end());           \
    }
#include "platforms.inc"
    return all;
}

Json report_of(const Evidence& evidence, const std::vector<Verdict>& verdicts) {
    const std::string driver = found_text(evidence, "driver");
    Json report = {{"test_id", "doctor_" + evidence.platform},
                   {"test_name", "xcli doctor --run --platform " + evidence.platform},
                   {"date", utc_now("%Y-%m-%dT%H:%M:%S+00:00")},
                   {"hardware", found_text(evidence, "device") + "; " + processor()},
                   {"driver_version", driver},
                   {"xsched_version", XSCHED_VERSION},
                   {"status", status_of(verdicts)},
                   {"metrics", metrics_of(evidence, verdicts)},
                   {"notes", advice(evidence)}};
    if (evidence.platform == "hip") report["rocm_version"] = driver;
    return report;
}

void show_run(const DoctorRun& asked, const Evidence& evidence, const std::vector<Verdict>& verdicts) {
    const std::string json = report_of(evidence, verdicts).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    asked.json ? print(json) : print_text(for_people(evidence, verdicts));
    if (asked.save.empty()) return;
    std::ofstream file(asked.save);
    if (!(file << json << std::flush)) throw Failure("--save: " + asked.save + " cannot be written", kNotWritten);
    if (!asked.json) print("\nAll that was found: " + asked.save + "\n");
}

}  // namespace xsched::cli
