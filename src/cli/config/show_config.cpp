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
#include "cli/known_by.h"
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

config::Value value_in(const Json& answer) { return {answer.value("value", ""), answer.value("source", "")}; }

// Values that wait: for the server's next start, or until the running server reads the files again. By the setting's
// name.
struct Waiting {
    std::map<std::string, config::Value> start;
    std::map<std::string, config::Value> reload;
    bool is_own = true;  // the server reads the asking user's files
};

bool is_of_file(const std::string& source) { return source.find(':') != std::string::npos; }

bool is_same_limit(const std::string& name, const std::string& one, int64_t other) {
    try {
        return config::read_limit(name + "=" + one, true).value == other;
    } catch (const std::runtime_error&) {
        return false;
    }
}

// Replaces limits by those that a running server has, as far as the asking user may see.
void take_servers_limits(ServerLink& link, config::Configuration& configuration, Waiting& waiting) {
    const auto take = [&](const std::string& name, const Json& limit) {
        const auto known = configuration.limits.find(name);
        const bool is_set = limit.contains("set");
        const int64_t set = limit.value("set", int64_t{0});
        if (known == configuration.limits.end() ? !is_set : is_set && is_same_limit(name, known->second.text, set))
            return;
        const std::string source = limit.value("source", "");
        if (known != configuration.limits.end() && source != "xcli limit") waiting.reload[name] = known->second;
        if (is_set)
            configuration.limits[name] = {std::to_string(set), source};
        else
            configuration.limits.erase(known);
    };
    const Json answer = link.ask({{"cmd", "limits"}});
    for (const Json& limit : answer["limits"]) take(limit.value("name", ""), limit);
    for (const Json& user : answer["users"]) {
        const std::string number = std::to_string(user.value("uid", uid_t{0}));
        for (const Json& limit : user["limits"]) {
            const std::string name = ":" + limit.value("name", "");
            const bool by_number = configuration.limits.contains(number + name);
            take((by_number ? number : user_name(user.value("uid", uid_t{0}))) + name, limit);
        }
    }
}

// Replaces one of the server's settings by the value that it uses.
void take_servers_value(const Json& found, const config::Setting& setting, bool reads_files,
                        config::Configuration& configuration, Waiting& waiting) {
    const std::string name = setting.name();
    const config::Value own = configuration.value(setting);
    configuration.settings[name] = value_in(found);
    const Json& configured = found.contains("next_start") ? found["next_start"] : found;
    if (found.contains("next_start")) waiting.start[name] = value_in(configured);
    const std::string source = configured.value("source", "");
    if (reads_files && is_of_file(own.source) && (source.empty() || is_of_file(source)) &&
        configured.value("value", "") != own.text)
        waiting.reload[name] = own;
}

// Replaces the server's settings by those that a running server uses. Returns whether one answers.
bool take_servers_values(config::Configuration& configuration, Waiting& waiting) {
    try {
        ServerLink link;
        const Json answer = link.ask({{"cmd", "configuration"}});
        waiting.is_own = answer.value("reads_users_files", true);
        take_servers_limits(link, configuration, waiting);
        const config::Folders folders = config::folders(false);
        for (const config::Setting& setting : config::settings()) {
            if (setting.table != "server") continue;
            const auto found = answer.at("settings").find(setting.name());
            if (found == answer.at("settings").end()) {
                configuration.settings.erase(setting.name());
                continue;
            }
            const std::string source = configuration.value(setting).source;
            const bool reads_file =
                waiting.is_own || folders.users.empty() || source.rfind(folders.users + "/", 0) != 0;
            take_servers_value(*found, setting, reads_file, configuration, waiting);
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

std::string in_words(const std::string& name, const std::string& value) {
    for (const config::Setting& setting : config::settings())
        if (setting.name() == name) return setting.in_words(value);
    return limit_in_words(name, value);
}

void tell_waiting(const Waiting& waiting) {
    const auto tell = [](const std::map<std::string, config::Value>& values, const std::string& when) {
        for (const auto& [name, value] : values)
            print_text(name + ": " + in_words(name, value.text) + " " + when + " (" + Shown::source_of(value) + ")\n");
    };
    tell(waiting.start, "from the server's next start on");
    tell(waiting.reload, std::string("once the server has read its files again, by '") +
                             (waiting.is_own ? "xcli rules load" : "systemctl reload xserver") + "'");
}

Json problems_of(const config::Configuration& configuration) {
    Json list = Json::array();
    for (const config::Problem& problem : configuration.problems)
        list.push_back({{"place", problem.place}, {"sentence", problem.sentence}});
    return list;
}

void print_json(const config::Configuration& configuration, const Waiting& waiting, bool asked_server) {
    Json list = Json::array();
    for (const Shown& one : all_of(configuration)) {
        list.push_back({{"name", one.name}, {"value", one.value.text}, {"source", one.source()}});
        if (const auto later = waiting.start.find(one.name); later != waiting.start.end())
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
    Waiting waiting;
    const bool asked_server = take_servers_values(configuration, waiting);
    const int status = configuration.is_wrong() ? 1 : 0;
    if (json) {
        print_json(configuration, waiting, asked_server);
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
    tell_waiting(waiting);
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
        config::Configuration alone;
        config::add_file(alone, one);
        config::add_file(checked, one);
        if (!alone.is_wrong()) good += one.path + ": nothing is wrong (" + contents_of(alone) + ")\n";
    }
    const std::string policy = policy_for(checked);
    const std::vector<config::Ignored> ignored = config::ignored_under(policy, checked);
    const int status = checked.is_wrong() ? 1 : 0;
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
