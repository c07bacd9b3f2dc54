#include "cli/commands.h"

#include <utility>

namespace xsched::cli {

CLI::App* add_command(CLI::App& app, Words& words, const char* name, const char* help, std::function<int()> body) {
    CLI::App* command = app.add_subcommand(name, help);
    command->add_flag("--json", words.json, "print JSON");
    command->callback([&words, body = std::move(body)] { words.command = body; });
    return command;
}

CLI::Range between(int64_t least, int64_t most) { return CLI::Range(least, most); }

}  // namespace xsched::cli
