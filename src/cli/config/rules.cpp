#include "cli/config/rules.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "base/text.h"
#include "cli/enable.h"
#include "cli/installation.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/steer.h"
#include "cli/visibility.h"
#include "config/contradictions.h"
#include "config/hint_text.h"
#include "config/rule_json.h"
#include "console/fold.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

std::string real_path(const std::string& path) {
    char text[PATH_MAX];
    return realpath(path.c_str(), text) != nullptr ? text : path;
}

// Finds a program as execvp does.
std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return real_path(name);
    const char* path = getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const std::string file = folder + "/" + name; access(file.c_str(), X_OK) == 0) return file;
    throw Failure("there is no program " + name + " in PATH");
}

// Returns the words of a script's first line behind "#!"; none: it is no script.
std::vector<std::string> interpreter_of(const std::string& file) {
    std::ifstream stream(file);
    std::string line;
    std::vector<std::string> words;
    char mark[2] = {};
    if (!stream.read(mark, 2) || mark[0] != '#' || mark[1] != '!' || !std::getline(stream, line)) return words;
    std::istringstream parts(line);
    for (std::string word; words.size() < 2 && parts >> word;) words.push_back(word);
    return words;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string own_cgroup() {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("0::/", 0) == 0) return line.substr(3);
    return "";
}

uid_t uid_of(const std::string& user) {
    if (user.empty()) return getuid();
    if (const passwd* found = getpwnam(user.c_str())) return found->pw_uid;
    char* end = nullptr;
    const unsigned long number = strtoul(user.c_str(), &end, 10);
    if (*end != '\0' || number >= UINT32_MAX) throw Failure("there is no user " + user);
    return static_cast<uid_t>(number);
}

std::string with_commas(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

// Returns the lines of a table: each value, and the rule that gives it.
std::vector<std::vector<std::string>> lines_of(const config::Given& given) {
    std::vector<std::vector<std::string>> lines;
    for (const base::HintInfo& hint : base::kHints) {
        const auto at = static_cast<size_t>(hint.id);
        if (given.hints[at])
            lines.push_back({hint.name, config::text_of_hint(hint, *given.hints[at]), given.hint_places[at]});
    }
    if (!given.never_place.empty()) lines.push_back({"never", given.never ? "true" : "false", given.never_place});
    if (given.highest_priority < PRIORITY_MAX)
        lines.push_back({"highest_priority", std::to_string(given.highest_priority), given.highest_place});
    return lines;
}

// Returns the rule in one line, in the order of its file, such as: name = ["vllm"], priority = 20.
std::string text_of(const config::Rule& rule) {
    std::string text;
    const Json described = config::rules_json({rule}).front();
    std::vector<config::Node> keys = rule.source.children;
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& one, const auto& other) { return one.line < other.line; });
    for (const config::Node& key : keys)
        text += (text.empty() ? "" : ", ") + key.key + " = " + described["rule"][key.key].dump();
    return text;
}

// Compares without places: a line above a rule may have come or gone.
bool has_others(const Json& of_server, std::span<const config::Rule> of_files) {
    const Json files = config::rules_json({of_files.begin(), of_files.end()});
    return !std::equal(of_server.begin(), of_server.end(), files.begin(), files.end(),
                       [](const Json& one, const Json& other) { return one.at("rule") == other.at("rule"); });
}

// Returns what brings the rules of the files to the server, if it has others; empty: it has these. `answer`: the
// server's to "rules". `are_users`: whether the user's own files are read.
std::string unread(const config::Configuration& configuration, const Json& answer, bool are_users) {
    const std::span all(configuration.rules);
    const std::span configured = all.first(all.size() - configuration.users_rules.size());
    const bool reads_users_files = answer.value("reads_users_files", false);
    if (reads_users_files && has_others(answer.at("rules"), all)) return "'xcli rules load' has it read them again";
    if (!reads_users_files && are_users && has_others(answer.at("rules"), configuration.users_rules))
        return "'xcli rules load' hands it those of your own files";
    const auto servers = answer.find("configured");
    return servers != answer.end() && has_others(*servers, configured)
               ? "'systemctl reload xserver' has it read the administrator's"
               : "";
}

void tell_unread(const std::string& advice) {
    if (!advice.empty())
        console::print_error("xcli: the server has other rules than the files have now: %s\n", advice.c_str());
}

// The same for the files as they are now; nothing: no server answers.
std::optional<std::string> unread_by_server(const config::Configuration& configuration, bool are_users) {
    try {
        return unread(configuration, ServerLink().ask({{"cmd", "rules"}}), are_users);
    } catch (const Failure&) {
        return std::nullopt;
    }
}

config::Configuration read_files() { return config::read_configuration(config::folders(false)); }

}  // namespace

std::string policy_in_force(const config::Configuration& configuration) {
    try {
        return ServerLink().ask({{"cmd", "policy"}}).value("policy", "");
    } catch (const Failure&) {
        return configuration.text("server.policy_expr").empty() ? configuration.text("server.policy") : "";
    }
}

Json ignored_json(const std::vector<config::Ignored>& all) {
    Json list = Json::array();
    for (const config::Ignored& one : all)
        list.push_back({{"place", one.place}, {"hint", one.hint}, {"used_by", one.used_by}});
    return list;
}

std::vector<config::Problem> ignored_problems(const std::string& policy, const std::vector<config::Ignored>& all) {
    std::vector<config::Problem> problems;
    for (const config::Ignored& one : all)
        problems.push_back({one.place, unused_sentence(policy, {{"hint", one.hint}, {"used_by", one.used_by}})});
    return problems;
}

void tell_complaints(const config::Configuration& configuration) {
    for (const config::Problem& problem : configuration.problems)
        console::print_error("xcli: %s\n", problem.text().c_str());
}

config::Program program_of_command(const std::vector<std::string>& command) {
    std::string file = find_program(command.front());
    std::vector<std::string> words = command;
    if (const std::string wrapped = wrapped_program(file); !wrapped.empty()) file = words.front() = wrapped;
    std::string process = base_name(words.front());
    if (std::vector<std::string> first = interpreter_of(file); !first.empty()) {
        words.front() = file;
        if (base_name(first.front()) == "env" && first.size() > 1) {
            first = {first[1]};
            process = base_name(first.front());
        }
        words.insert(words.begin(), first.begin(), first.end());
        file = find_program(first.front());
    }
    return config::program_of(real_path(file), process, words);
}

int show_rules(bool json) {
    const config::Configuration configuration = read_files();
    if (json) {
        print(Json{{"ok", true}, {"rules", config::rules_json(configuration.rules)}}.dump(2) + "\n");
    } else if (configuration.rules.empty()) {
        print_text("there are no rules: " + page("CONFIG.md") + " says how to write one\n");
    } else {
        console::Table table({"RULE", "SAYS"});
        for (const config::Rule& rule : configuration.rules) table.add({rule.place, text_of(rule)});
        print_text(table.text());
    }
    tell_complaints(configuration);
    if (!json) tell_unread(unread_by_server(configuration, true).value_or(""));
    return 0;
}

// Says of a shell's script that rules are for what it starts: pyenv's python3 is one.
void tell_script(const config::Program& program) {
    constexpr const char* kShells[] = {"sh", "bash", "dash"};
    const std::string shell = program.names.empty() ? "" : program.names.front();
    if (program.names.size() < 2 || std::find(std::begin(kShells), std::end(kShells), shell) == std::end(kShells))
        return;
    print_text(program.names.back() + " is a script of " + shell + ": what it starts is looked at by its own name\n");
}

int test_rules(const RulesTest& test, const std::vector<std::string>& command, bool json) {
    if (command.empty()) throw Failure("say which command: xcli rules test -- PROGRAM [ARGUMENTS]");
    check_path(command.front());
    const config::Configuration configuration = read_files();
    config::Program program = program_of_command(command);
    program.uid = uid_of(test.user);
    program.cgroup = test.cgroup.empty() ? own_cgroup() : test.cgroup;
    std::vector<config::Rule> rules = configuration.rules;
    if (program.uid != getuid())
        rules.resize(rules.size() - configuration.users_rules.size());  // its own are elsewhere
    const config::Given given = config::given_by(rules, program);
    const std::string policy = policy_in_force(configuration);
    const std::vector<config::Ignored> ignored = config::ignored_under(policy, given);
    const std::optional<std::string> advice = unread_by_server(configuration, program.uid == getuid());
    if (json) {
        Json list = Json::array();
        for (const auto& line : lines_of(given))
            list.push_back({{"name", line[0]}, {"value", line[1]}, {"rule", line[2]}});
        print(Json{{"ok", true},
                   {"names", program.names},
                   {"path", program.path},
                   {"command", program.command},
                   {"cgroup", program.cgroup},
                   {"given", list},
                   {"policy", policy},
                   {"ignored", ignored_json(ignored)},
                   {"loaded", advice ? Json(advice->empty()) : Json()}}
                  .dump(2) +
              "\n");
        return 0;
    }
    tell_script(program);
    print_text("names " + with_commas(program.names) + "; path " + program.path + "; control group " +
               (program.cgroup.empty() ? "unknown" : program.cgroup) + "\n");
    console::Table table({"VALUE", "IS", "RULE"});
    for (const auto& line : lines_of(given)) table.add(line);
    print_text(given.fits_any ? table.text() : "no rule fits\n");
    for (const config::Problem& problem : ignored_problems(policy, ignored))
        console::print_error("xcli: %s\n", problem.text().c_str());
    for (const config::Contradiction& one : config::contradictions(given.hints, config::rule_key))
        console::print_error("xcli: %s: %s\n", given.hint_places[static_cast<size_t>(one.one)].c_str(),
                             one.sentence.c_str());
    tell_complaints(configuration);
    tell_unread(advice.value_or(""));
    return 0;
}

int load_rules(bool json) {
    const config::Configuration configuration = read_files();
    tell_complaints(configuration);
    const Json answer =
        ServerLink().ask({{"cmd", "rules"}, {"set", config::rules_json(configuration.users_rules)}, {"reload", true}});
    const std::string rules = base::counted(answer["rules"].size(), "rule");
    if (json)
        print(answer.dump(2) + "\n");
    else if (answer.value("reloaded", false))
        print_text("the server is your own: it has read all files again, and has " + rules + "\n");
    else if (answer.value("reads_users_files", false))
        print_text(
            "the server is your own and of another version: 'kill -HUP PID' has it read your files again "
            "('xcli server' shows its pid)\n");
    else
        print_text("the server has " + rules + " for your programs\n");
    return 0;
}

void load_rules_quietly(const config::Configuration& configuration) {
    Json request{{"cmd", "rules"}};
    if (!configuration.users_rules.empty()) request["set"] = config::rules_json(configuration.users_rules);
    try {
        tell_unread(unread(configuration, ServerLink().ask(request), true));
    } catch (const std::exception&) {
        // the program runs all the same
    }
}

}  // namespace xsched::cli
