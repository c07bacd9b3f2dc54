// The command doctor, and its --run.
#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/run.h"
#include "cli/doctor/steps.h"
#include "xsched/types.h"

namespace xsched::cli {
namespace {

struct DoctorWords {
    std::string root;
    bool run = false;
    DoctorRun asked;
};

// Returns a complaint about the first of these words, divided by commas, that names no step.
std::string wrong_step(const std::string& words) {
    std::vector<std::string> names;
    for (const Step& step : kSteps) names.emplace_back(step.name);
    const CLI::Validator check = one_of("step", names);
    std::istringstream stream(words);
    for (std::string word; std::getline(stream, word, ',');)
        if (std::string wrong = check(word); !wrong.empty()) return wrong;
    return "";
}

int call_doctor(DoctorWords& words, bool json) {
    if (!words.run) return show_doctor(words.root, json);
    words.asked.json = json;
    if (!words.root.empty()) words.asked.root = words.root;
    return run_doctor(words.asked);
}

}  // namespace

void add_doctor(CLI::App& app, Words& words) {
    const auto given = std::make_shared<DoctorWords>();
    CLI::App* doctor =
        add_command(app, words, "doctor", "show what this machine offers, and the reason for every \"no\"",
                    [&words, given] { return call_doctor(*given, words.json); });
    doctor->footer(
        "Exit status of --run: 0 every level that was asked for is to be used (or the platform has none such), 1 one "
        "is "
        "not, 2 nothing could be tried.");
    doctor->add_option("--root", given->root, "look at the system in this folder (an image), not at the running one");
    CLI::Option* run = doctor->add_flag("--run", given->run,
                                        "try it: each level's parts and the main job, in child processes, in under two "
                                        "minutes");
    const auto with_run = [&](CLI::Option* option) {
        option->needs(run);
        return option;
    };
    DoctorRun& asked = given->asked;
    with_run(doctor->add_option("--platform", asked.platform,
                                "one whose levels can be tried, such as cuda; else the first that is there"));
    with_run(doctor->add_option("--level", asked.level, "the highest preempt level that is tried (3)"))
        ->check(between(1, kPreemptLevelInterrupt));
    with_run(doctor->add_option("--save", asked.save, "also write all that was found to this file, as JSON"));
    with_run(doctor->add_flag("--keep", asked.keep,
                              "keep what switches and calls cost here, for an xserver started later and for xsim"));
    with_run(doctor->add_option("--seconds", asked.seconds, "of the main job, each time (20s)"))
        ->type_name("TIME")
        ->transform(seconds_between(0.1, 20.0));
    with_run(doctor->add_option("--steps", asked.only, "only these, divided by commas"))
        ->check(CLI::Validator(wrong_step, ""));
    with_run(doctor->add_option("--patience", asked.patience_s,
                                "how long a step may take besides what it measures, instead of its own limit: 30s"))
        ->type_name("TIME")
        ->transform(seconds_between(0.5, 60.0));
}

}  // namespace xsched::cli
