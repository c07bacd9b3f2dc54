#include "cli/did_you_mean.h"

namespace xsched::cli {

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::string meant_command(const CLI::App& app, const std::string& word) {
    // Words of other tools for what a command of ours does.
    constexpr std::pair<const char*, const char*> kElsewhere[] = {
        {"ls", "list"},         {"ps", "status"},          {"stop", "suspend"},     {"pause", "suspend"},
        {"continue", "resume"}, {"renice", "hint"},        {"nice", "hint"},        {"priority", "hint"},
        {"why", "explain"},     {"replay", "xsim replay"}, {"reload", "rules load"}};
    for (const auto& [theirs, ours] : kElsewhere)
        if (word == theirs) return std::string(" (did you mean \"") + ours + "\"?)";
    if (word == "kill" || word == "end" || word == "terminate")
        return " ('kill PID' ends a program, and so does T in 'xcli top')";
    return meant(commands_of(app), word);
}

}  // namespace xsched::cli
