// The command lines of xcli enable and xcli disable.
#include <memory>

#include "cli/commands.h"
#include "cli/enable.h"

namespace xsched::cli {

void add_enable(CLI::App& app, Words& words) {
    const auto add = [&](const char* name, const char* help, int (*run)(const EnableWords&, bool)) {
        const auto given = std::make_shared<EnableWords>();
        CLI::App* command =
            add_command(app, words, name, help, [&words, given, run] { return run(*given, words.json); });
        command->add_option("PROGRAM", given->program, "the program, by its name in PATH or its path");
        command->add_flag("--session", given->session, "all programs of your sessions, from the next login on");
    };
    add("enable", "put a program under XSched for good, by a wrapper in ~/.local/bin", enable);
    add("disable", "take back what 'xcli enable' has done", disable);
}

}  // namespace xsched::cli
