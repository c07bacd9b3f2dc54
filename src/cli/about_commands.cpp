// The commands about xcli itself: help, man, completion; and complete, which the shells' scripts call.
#include <memory>

#include "cli/commands.h"
#include "cli/did_you_mean.h"
#include "cli/server_link.h"
#include "cli/shell_values.h"
#include "cli/shell_words.h"
#include "cli/show.h"
#include "console/command_line.h"
#include "console/man_page.h"

namespace xsched::cli {
namespace {

// Returns the help of a command, such as that of "config check". Throws Failure if there is none such.
std::string help_of(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* command = &app;
    std::string before;
    for (const std::string& word : words) {
        const CLI::App* part = console::find_command(*command, word);
        if (part == nullptr) throw Failure("there is no command \"" + word + "\"" + meant_command(*command, word));
        before += (before.empty() ? "" : " ") + command->get_name();
        command = part;
    }
    // App::help() would be that of the command which was parsed, help itself.
    if (before.empty()) return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
    return command->help(before);
}

}  // namespace

void add_about_commands(CLI::App& app, Words& words) {
    const auto add = [&](const char* name, const char* help, const std::function<std::string()>& text) {
        CLI::App* command = app.add_subcommand(name, help);
        command->callback([&words, text] {
            words.command = [text] {
                print(text());
                return 0;
            };
        });
        return command;
    };
    const auto topic = std::make_shared<std::vector<std::string>>();
    add("help", "show this help, or that of a command", [&app, topic] {
        return help_of(app, *topic);
    })->add_option("COMMAND", *topic, "the command");
    add("man", "print the manual page, for packages: 'xcli man | man -l -'", [&app] {
        return console::man_page(app, "xcli", 1, XSCHED_VERSION,
                                 "'xcli options' lists the variables that programs under XSched read. NO_COLOR: no "
                                 "colours.");
    });
    const auto shell = std::make_shared<std::string>();
    add("completion", "print what makes a shell complete xcli's words",
        [&app, shell] { return completion(app, *shell); })
        ->add_option("SHELL", *shell,
                     "bash, zsh or fish: 'source <(xcli completion bash)', or 'xcli completion fish | source'")
        ->required()
        ->transform(one_of("shell", {"bash", "zsh", "fish"}));
    const auto kind = std::make_shared<std::string>();
    CLI::App* complete =
        add("complete", "print the values that a shell offers", [kind] { return shell_values(*kind); });
    complete->group("");
    complete->add_option("KIND", *kind, "what they are");
}

}  // namespace xsched::cli
