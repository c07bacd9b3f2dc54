// The command lines of xcli enable and xcli disable.
#include <memory>

#include "cli/commands.h"
#include "cli/enable.h"

namespace xsched::cli {

void add_enable(CLI::App& app, Words& words) {
    // `kind`: the values that shells offer for the program (shell_words.cpp).
    const auto add = [&](const char* name, const char* kind, const char* help, int (*run)(const EnableWords&, bool)) {
        const auto given = std::make_shared<EnableWords>();
        CLI::App* command =
            add_command(app, words, name, help, [&words, given, run] { return run(*given, words.json); });
        command->add_option("PROGRAM", given->program, "the program, by its name in PATH or its path")->type_name(kind);
        command->add_flag("--session", given->session, "all programs of your sessions, from the next login on");
    };
    add("enable", "COMMAND", "put a program under XSched for good, by a wrapper in ~/.local/bin", enable);
    add("disable", "ENABLED", "take back what 'xcli enable' has done", disable);
}

}  // namespace xsched::cli
