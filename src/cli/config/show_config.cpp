#include "cli/config/show_config.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/config/rules.h"
#include "cli/ignored.h"
#include "cli/run_options.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/size_text.h"
#include "cli/start_server.h"
#include "config/configuration.h"
#include "config/ignored.h"
#include "config/limit_setting.h"
#include "console/fold.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

struct Shown {
    std::string name;
    config::Value value;
    std::string words;  // the value as people read it
    std::string source() const { return source_of(value); }
    static std::string source_of(const config::Value& value) { return value.source.empty() ? "default" : value.source; }
};

// Values that a running server uses from its next start on, by the setting's name.
using NextStart = std::map<std::string, config::Value>;

config::Value value_in(const Json& answer) { return {answer.value("value", ""), answer.value("source", "")}; }

// Replaces the server's settings by those that a running server uses. Returns whether one answers.
bool take_servers_values(config::Configuration& configuration, NextStart& next) {
    try {
        const Json answer = ServerLink().ask({{"cmd", "configuration"}});
        for (const config::Setting& setting : config::settings()) {
            if (setting.table != "server") continue;
            configuration.settings.erase(setting.name());
            const auto found = answer.at("settings").find(setting.name());
            if (found == answer.at("settings").end()) continue;
            configuration.settings[setting.name()] = value_in(*found);
            if (found->contains("next_start")) next[setting.name()] = value_in(found->at("next_start"));
        }
        return true;
    } catch (const Failure&) {
        return false;
    }
}

// Returns a limit's value with its unit: "30 percent", "20 GiB". `name`: may begin with a user.
std::string limit_in_words(const std::string& name, const std::string& value) {
    const auto limit = config::find_limit(name.substr(name.rfind(':') + 1));
    int64_t number = 0;
    if (!limit || !config::read_number(value, &number)) return value;
    const config::LimitInfo& info = config::limit_info(*limit);
    if (config::is_size(info)) return size_text(static_cast<uint64_t>(number));
    return value + (limit == config::Limit::kHighestPriority ? "" : std::string(" ") + info.unit);
}

std::vector<Shown> all_of(const config::Configuration& configuration) {
    std::vector<Shown> all;
    for (const config::Setting& setting : config::settings()) {
        const config::Value value = configuration.value(setting);
        all.push_back({setting.name(), value, setting.in_words(value.text)});
    }
    for (const auto& [name, value] : configuration.limits)
        all.push_back({"limits " + name, value, limit_in_words(name, value.text)});
    return all;
}

// Returns the default of 'xcli run' where it is another than that of a server or library that starts by itself.
std::string instead(const config::Configuration& configuration, const Shown& one, bool asked_server) {
    if (!one.value.source.empty()) return "";
    if (one.name == "server.idle_exit" && !asked_server)
        return std::string("; ") + kIdleExitSeconds + " s if 'xcli run' starts it";
    if (one.name == "options.log_level" && configuration.text("options.log_file").empty())
        return std::string("; ") + kRunLogLevel + " for programs of 'xcli run'";
    return "";
}

Json problems_of(const config::Configuration& configuration) {
    Json list = Json::array();
    for (const config::Problem& problem : configuration.problems)
        list.push_back({{"place", problem.place}, {"sentence", problem.sentence}});
    return list;
}

void print_json(const config::Configuration& configuration, const NextStart& next, bool asked_server) {
    Json list = Json::array();
    for (const Shown& one : all_of(configuration)) {
        list.push_back({{"name", one.name}, {"value", one.value.text}, {"source", one.source()}});
        if (const auto later = next.find(one.name); later != next.end())
            list.back()["next_start"] = {{"value", later->second.text}, {"source", Shown::source_of(later->second)}};
    }
    print(Json{{"ok", true},
               {"settings", list},
               {"rules", configuration.rules.size()},
               {"problems", problems_of(configuration)},
               {"server", asked_server}}
              .dump(2) +
          "\n");
}

bool is_users_file(const std::string& file, const config::Folders& folders) {
    std::error_code error;  // the name as it is, if it has no folder any more
    const std::string whole = std::filesystem::absolute(file, error).lexically_normal();
    return !folders.users.empty() && whole.rfind(folders.users + "/", 0) == 0;
}

std::string contents_of(const config::Configuration& configuration) {
    return base::counted(configuration.settings.size(), "setting") + ", " +
           base::counted(configuration.limits.size(), "limit") + ", " +
           base::counted(configuration.rules.size(), "rule");
}

// Returns all problems as lines, in the order of the files and of their lines.
std::string in_order(const std::vector<config::File>& files, std::vector<config::Problem> all,
                     const std::vector<config::Problem>& more) {
    all.insert(all.end(), more.begin(), more.end());
    const auto place_of = [&files](const config::Problem& problem) {
        const size_t colon = problem.place.rfind(':');
        const std::string path = problem.place.substr(0, colon);
        const auto file = std::find_if(files.begin(), files.end(), [&](const auto& one) { return one.path == path; });
        const char* line = colon != std::string::npos ? problem.place.c_str() + colon + 1 : "";
        return std::pair(file - files.begin(), strtoul(line, nullptr, 10));
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& one, const auto& other) { return place_of(one) < place_of(other); });
    std::string text;
    for (const config::Problem& problem : all) text += problem.text() + "\n";
    return text;
}

Json paths_of(const std::vector<config::File>& files) {
    Json paths = Json::array();
    for (const config::File& file : files) paths.push_back(file.path);
    return paths;
}

// Returns the policy under which the settings would count: their own, or the one that is in force or configured.
std::string policy_for(const config::Configuration& checked) {
    for (const char* name : {"server.policy", "server.policy_expr"})
        if (checked.settings.contains(name)) return name == std::string("server.policy") ? checked.text(name) : "";
    return policy_in_force(config::read_configuration(config::folders(false)));
}

}  // namespace

int show_config(bool json) {
    config::Configuration configuration = config::read_configuration(config::folders(false));
    NextStart next;
    const bool asked_server = take_servers_values(configuration, next);
    const int status = configuration.problems.empty() ? 0 : 1;
    if (json) {
        print_json(configuration, next, asked_server);
        return status;
    }
    console::Table table({"SETTING", "VALUE", "FROM"});
    for (const Shown& one : all_of(configuration)) {
        table.add({one.name, (one.words.empty() ? "-" : one.words) + instead(configuration, one, asked_server),
                   one.source()});
    }
    print_text(table.text());
    print_text(asked_server ? "server.*: as the running server uses them\n"
                            : "server.*: as a server would use them that started now; none answers\n");
    for (const config::Setting& setting : config::settings())
        if (const auto later = next.find(setting.name()); later != next.end())
            print_text(later->first + ": " + setting.in_words(later->second.text) +
                       " from the server's next start on (" + Shown::source_of(later->second) + ")\n");
    if (!configuration.rules.empty())
        print_text(base::counted(configuration.rules.size(), "rule") + " by program: 'xcli rules' lists " +
                   (configuration.rules.size() == 1 ? "it" : "them") + "\n");
    tell_complaints(configuration);
    tell_misspelt_variables();
    return status;
}

int check_config(const std::string& file, bool json) {
    config::Configuration checked;
    const config::Folders folders = config::folders(false);
    std::vector<config::File> files;
    if (file.empty())
        files = config::read_files(folders, checked.problems);
    else if (config::File one{file, "", is_users_file(file, folders)};
             config::read_file(file, &one.text, checked.problems))
        files.push_back(one);
    std::string good;
    for (const config::File& one : files) {
        const size_t before = checked.problems.size();
        config::Configuration alone;
        config::add_file(alone, one);
        config::add_file(checked, one);
        if (checked.problems.size() == before) good += one.path + ": nothing is wrong (" + contents_of(alone) + ")\n";
    }
    const std::string policy = policy_for(checked);
    const std::vector<config::Ignored> ignored = config::ignored_under(policy, checked);
    const int status = checked.problems.empty() ? 0 : 1;
    if (json) {
        print(Json{{"ok", status == 0},
                   {"files", paths_of(files)},
                   {"problems", problems_of(checked)},
                   {"policy", policy},
                   {"ignored", ignored_json(ignored)}}
                  .dump(2) +
              "\n");
        return status;
    }
    if (files.empty() && checked.problems.empty())
        good = "there is no configuration file: none is in " + folders.administrators +
               (folders.users.empty() ? "" : " or " + folders.users) + "\n";
    print_text(good);
    console::print_error("%s", in_order(files, checked.problems, ignored_problems(policy, ignored)).c_str());
    return status;
}

}  // namespace xsched::cli
