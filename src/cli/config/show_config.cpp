#include "cli/config/show_config.h"

#include <cstdio>
#include <string>
#include <vector>

#include "cli/server_link.h"
#include "cli/show.h"
#include "config/configuration.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

struct Shown {
    std::string name;
    config::Value value;
};

// Replaces the server's settings by those that a running server uses. Returns whether one answers.
bool take_servers_values(config::Configuration& configuration) {
    try {
        const Json answer = ServerLink().ask({{"cmd", "configuration"}});
        for (const config::Setting& setting : config::settings()) {
            if (setting.table != "server") continue;
            configuration.settings.erase(setting.name());
            if (const auto found = answer.at("settings").find(setting.name()); found != answer.at("settings").end())
                configuration.settings[setting.name()] = {found->value("value", ""), found->value("source", "")};
        }
        return true;
    } catch (const Failure&) {
        return false;
    }
}

std::vector<Shown> all_of(const config::Configuration& configuration) {
    std::vector<Shown> all;
    for (const config::Setting& setting : config::settings())
        all.push_back({setting.name(), configuration.value(setting)});
    for (const auto& [name, value] : configuration.limits) all.push_back({"limits " + name, value});
    return all;
}

Json problems_of(const config::Configuration& configuration) {
    Json list = Json::array();
    for (const config::Problem& problem : configuration.problems)
        list.push_back({{"place", problem.place}, {"sentence", problem.sentence}});
    return list;
}

void print_json(const config::Configuration& configuration, bool asked_server) {
    Json list = Json::array();
    for (const Shown& one : all_of(configuration))
        list.push_back({{"name", one.name},
                        {"value", one.value.text},
                        {"source", one.value.source.empty() ? "default" : one.value.source}});
    print(Json{{"ok", true},
               {"settings", list},
               {"rules", configuration.rules.size()},
               {"problems", problems_of(configuration)},
               {"server", asked_server}}
              .dump(2) +
          "\n");
}

}  // namespace

int show_config(bool json) {
    config::Configuration configuration = config::read_configuration(config::folders(false));
    const bool asked_server = take_servers_values(configuration);
    const int status = configuration.problems.empty() ? 0 : 1;
    if (json) {
        print_json(configuration, asked_server);
        return status;
    }
    console::Table table({"SETTING", "VALUE", "FROM"});
    for (const Shown& one : all_of(configuration))
        table.add({one.name, one.value.text.empty() ? "-" : one.value.text,
                   one.value.source.empty() ? "default" : one.value.source});
    print_text(table.text());
    print_text(asked_server ? "server.*: as the running server uses them\n"
                            : "server.*: as a server would use them that started now; none answers\n");
    if (!configuration.rules.empty())
        print_text(std::to_string(configuration.rules.size()) + " rules by program: 'xcli rules' lists them\n");
    fprintf(stderr, "%s", configuration.complaints().c_str());
    return status;
}

int check_config(const std::string& file, bool json) {
    config::Configuration configuration;
    const config::Folders folders = config::folders(false);
    config::File read{file, "", !folders.users.empty() && file.rfind(folders.users + "/", 0) == 0};
    if (config::read_file(file, &read.text, configuration.problems)) config::add_file(configuration, read);
    const int status = configuration.problems.empty() ? 0 : 1;
    if (json) {
        print(Json{{"ok", status == 0}, {"problems", problems_of(configuration)}}.dump(2) + "\n");
        return status;
    }
    if (status == 0)
        print_text(file + ": nothing is wrong (" + std::to_string(configuration.settings.size()) + " settings, " +
                   std::to_string(configuration.limits.size()) + " limits, " +
                   std::to_string(configuration.rules.size()) + " rules)\n");
    fprintf(stderr, "%s", configuration.complaints().c_str());
    return status;
}

}  // namespace xsched::cli
