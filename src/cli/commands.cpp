#include "cli/commands.h"

#include <utility>

namespace xsched::cli {

CLI::Validator log_level() { return one_of("level", {"DEBG", "INFO", "WARN", "ERRO"}, {"DEBUG", "WARNING", "ERROR"}); }

CLI::App* add_command(CLI::App& app, Words& words, const char* name, const char* help, std::function<int()> body) {
    CLI::App* command = app.add_subcommand(name, help);
    command->add_flag("--json", words.json, "print JSON");
    command->callback([&words, body = std::move(body)] { words.command = body; });
    return command;
}

CLI::Option* add_program(CLI::App* command, Words& words) {
    return command->add_option("PROGRAM", words.program, "the program and its arguments, all words behind '--'");
}

CLI::Option* add_programs(CLI::App* command, const std::string& names, std::vector<std::string>& who,
                          const std::string& help) {
    return command->add_option(names, who, help)->type_name("PROGRAM")->check(not_empty("a program"));
}

CLI::Option* add_out(CLI::App* command, std::string& file, const std::string& help) {
    const auto complaint = [](const std::string& text) -> std::string {
        return text == "-" ? "\"-\" is no file; give its name" : "";
    };
    return command->add_option("-o,--out", file, help)
        ->type_name("FILE")
        ->check(not_empty("the file"))
        ->check(CLI::Validator(complaint, ""));
}

void add_former_letter(CLI::App* command, const std::string& letter, const std::string& option) {
    const auto pass_on = [command, option](const std::string& text) { command->get_option(option)->add_result(text); };
    command->add_option_function<std::string>(letter, pass_on)->group("");
}

}  // namespace xsched::cli
