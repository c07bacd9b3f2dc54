#include "cli/admit/admit.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/time.h"
#include "cli/admit/admission.h"
#include "cli/admit/program_name.h"
#include "cli/admit/situation.h"
#include "cli/admit/workload_text.h"
#include "cli/config/rules.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/start_server.h"
#include "cli/time_text.h"
#include "cli/visibility.h"
#include "console/command.h"
#include "console/fold.h"

namespace xsched::cli {
namespace {

constexpr int64_t kLookAgainNs = 2 * base::kSecond;  // judgement: of a wait, how often it is judged again

// A file that is gone when the object is.
class BriefFile {
public:
    explicit BriefFile(const std::string& text) {
        const int file = mkstemp(path_);
        const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        if (file >= 0) close(file);
        if (!written) throw Failure(std::string("the simulation's workload cannot be written to ") + path_);
    }
    ~BriefFile() { unlink(path_); }
    BriefFile(const BriefFile&) = delete;
    BriefFile& operator=(const BriefFile&) = delete;
    std::string path() const { return path_; }

private:
    char path_[32] = "/tmp/xcli-admit-XXXXXX";
};

// Returns what xsim prints as JSON; a null value if it did not end well.
Json ask_simulator(const std::vector<std::string>& words) {
    std::vector<std::string> all{find_installation().simulator};
    if (all.front().empty())
        throw Failure("xcli admit needs the simulator, and there is no xsim beside xcli: install the whole of XSched");
    all.insert(all.end(), words.begin(), words.end());
    const console::Printed printed = console::run_command(all, console::own_environment());
    const Json answer = Json::parse(printed.text, nullptr, false);
    return printed.well && answer.is_object() ? answer : Json();
}

Json simulate(const Situation& situation) {
    const BriefFile workload(workload_text(situation));
    const Json simulated = ask_simulator({"run", "--json", workload.path()});
    if (simulated.is_null())
        throw Failure("the simulation of the programs on this device did not end well: see the lines above");
    return simulated;
}

// Puts what the recording shows before what else is known.
void learn_from(const std::string& recording, const std::string& program, Json& answers) {
    const Json recorded = ask_simulator({"work", recording});
    if (recorded.is_null()) throw Failure("the recording " + recording + " cannot be used: see the line above");
    Json known = recorded.value("known", Json::array());
    const auto is_it = [&](const Json& one) { return one.value("program", "") == program; };
    if (std::none_of(known.begin(), known.end(), is_it)) {
        std::string names;
        for (const Json& one : known) names += (names.empty() ? "" : ", ") + one.value("program", "");
        throw Failure(recording + " shows too little of " + program + ": it has " +
                          (names.empty() ? "no program with enough work" : names) +
                          ", and --name says which of them is meant",
                      kNobody);
    }
    for (const Json& one : answers.value("known", Json::array())) known.push_back(one);
    answers["known"] = known;
}

Admission admission_of(const Situation& situation) {
    if (const auto verdict = judge_without_simulation(situation)) return *verdict;
    return judge(situation, simulate(situation));
}

Json answers_now(const AdmitWords& words) {
    if (words.programs.empty()) {
        ServerLink link;
        Json answers = ask_all(link, {{"cmd", "programs"}, {"work", true}}, "programs");
        for (const char* command : {"habits", "promises"}) answers.update(link.ask({{"cmd", command}}));
        return answers;
    }
    const Json file = Json::parse(base::text_of_file(words.programs), nullptr, false);
    if (!file.is_object()) throw Failure(words.programs + " is no JSON object with \"programs\" and \"known\"");
    return file;
}

Situation situation_now(const AdmitWords& words, const Candidate& candidate) {
    Json answers = answers_now(words);
    if (!words.recording.empty()) learn_from(words.recording, candidate.name, answers);
    return situation_of(answers, candidate);
}

// Returns the hints of the command line, and of rules by program where the command line gives none.
std::map<std::string, int64_t> hints_of(const RunOptions& options, const std::vector<config::Rule>& rules,
                                        const config::Program& program) {
    const config::Given given = config::given_by(rules, program);
    std::map<std::string, int64_t> hints;
    for (const base::HintInfo& hint : base::kHints) {
        const std::optional<int64_t>& by_rule = given.hints[static_cast<size_t>(hint.id)];
        const std::optional<int64_t> value = options.hints.of(hint) ? options.hints.of(hint) : by_rule;
        if (value && *value != 0) hints[hint.name] = *value;  // 0 is what counts unless said
    }
    return hints;
}

Candidate candidate_of(const AdmitWords& words, const std::vector<std::string>& command) {
    const config::Program program = program_of_command(command);
    Candidate candidate;
    std::istringstream line(program.command);
    std::vector<std::string> parts;
    for (std::string word; line >> word;) parts.push_back(word);
    candidate.name = !words.name.empty() || parts.empty() ? words.name : program_name_of(parts);
    candidate.hints = hints_of(words.run, config::read_configuration(config::folders(false)).rules, program);
    candidate.device = words.device;
    return candidate;
}

void print_admission(const Admission& verdict, bool json) {
    if (!json) return print_text(std::string(word_of(verdict.kind)) + ": " + verdict.with_advice() + "\n");
    Json predictions = Json::array();
    for (const Prediction& one : verdict.predictions)
        predictions.push_back({{"program", one.program},
                               {"pid", one.pid},
                               {"target_us", std::llround(one.target_us)},
                               {"p99_us", std::llround(one.p99_us)},
                               {"keeps", one.keeps}});
    print(Json{{"ok", true},
               {"verdict", word_of(verdict.kind)},
               {"sentence", verdict.with_advice()},
               {"predictions", predictions}}
              .dump(2) +
          "\n");
}

int exit_status_of(const Admission& verdict) {
    if (verdict.kind == Admission::Kind::kAdmitted) return 0;
    return verdict.kind == Admission::Kind::kRefused ? kRefused : kNobody;
}

// Tells the server of the promise, which keeps score of it. The calling process becomes the program.
void promise(const Candidate& candidate, const Prediction& own) {
    Json told{{"cmd", "promise"},
              {"program", candidate.name},
              {"target_us", std::llround(own.target_us)},
              {"predicted_us", std::llround(own.p99_us)}};
    for (const base::HintInfo& hint : base::kHints) {
        const auto found = candidate.hints.find(hint.name);
        if (hint.listed != nullptr && found != candidate.hints.end()) told[hint.listed] = found->second;
    }
    ServerLink().ask(told);
}

// Judges again until the program is admitted or the time is over.
Admission wait_for_admission(const AdmitWords& words, const Candidate& candidate) {
    const int64_t until_ns = words.wait.empty() ? 0 : base::now_ns() + time_ns(words.wait, "to wait for");
    bool told = false;
    for (;;) {
        Admission verdict = admission_of(situation_now(words, candidate));
        const int64_t left_ns = until_ns - base::now_ns();
        if (verdict.kind == Admission::Kind::kAdmitted || left_ns <= 0) return verdict;
        if (!verdict.waiting_helps) {
            console::print_error(
                "xcli: %s does not wait (--wait %s): no other program's end would change the verdict\n",
                candidate.name.c_str(), words.wait.c_str());
            return verdict;
        }
        if (!std::exchange(told, true))
            console::print_error("xcli: %s waits (--wait %s): %s\n", candidate.name.c_str(), words.wait.c_str(),
                                 verdict.sentence.c_str());
        base::sleep_ns(std::min(kLookAgainNs, left_ns));
    }
}

}  // namespace

int admit(const AdmitWords& words, const std::vector<std::string>& program, bool json) {
    if (program.empty()) throw Failure("say which program: xcli admit [OPTIONS] -- PROGRAM [ARGUMENTS]");
    if (program[0].empty()) throw Failure("the name of the program is empty (is a variable not set?)");
    if (words.programs.empty()) check_path(program[0]);
    if (!words.check && words.programs.empty())
        ensure_server(find_installation().server, words.run.policy, Announced::kNo);
    const Candidate candidate = candidate_of(words, program);
    Admission verdict = wait_for_admission(words, candidate);
    if (words.check && verdict.kind == Admission::Kind::kUnknown && words.unknown == "run")
        verdict.advice = "without --check it runs on trial (--unknown run)";
    if (words.check || !words.programs.empty()) {
        print_admission(verdict, json);
        return exit_status_of(verdict);
    }
    const bool on_trial = verdict.kind == Admission::Kind::kUnknown && words.unknown == "run";
    if (verdict.kind != Admission::Kind::kAdmitted && !on_trial)
        throw Failure(candidate.name + " is not admitted: " + verdict.with_advice(),
                      static_cast<Status>(exit_status_of(verdict)));
    console::print_error("xcli: %s runs%s: %s\n", candidate.name.c_str(),
                         on_trial ? " on trial, and nothing is promised" : "", verdict.sentence.c_str());
    RunOptions run = words.run;
    run.promised = true;
    // The program's own prediction is the last one, if it has a target.
    if (!on_trial && candidate.hints.contains(kTargetHint.name)) {
        const Prediction& own = verdict.predictions.back();
        run.hints.of(kTargetHint) = std::llround(own.target_us);
        run.promise = [&] { promise(candidate, own); };
    }
    return run_program(run, program);
}

}  // namespace xsched::cli
