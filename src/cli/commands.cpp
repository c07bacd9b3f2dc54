#include "cli/commands.h"

#include <charconv>
#include <sstream>
#include <utility>

namespace xsched::cli {

CLI::Validator not_empty(const char* what) {
    const auto complaint = [what](const std::string& text) -> std::string {
        return text.empty() ? "the name of " + std::string(what) + " is empty (is a variable not set?)" : "";
    };
    return CLI::Validator(complaint, "");
}

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

namespace {

// Returns a check for numbers in a range; `kind` says what is asked for if a text is no such number.
template <typename Number>
CLI::Validator check_of(Number least, Number most, const char* kind) {
    const auto complaint = [=](const std::string& text) -> std::string {
        Number number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool read = end == text.data() + text.size() && error != std::errc::invalid_argument;
        if (read && error == std::errc{} && number >= least && number <= most) return "";
        std::ostringstream sentence;
        sentence << (read ? text + " is not" : "\"" + text + "\" is not " + kind) << " from " << least << " to "
                 << most;
        return sentence.str();
    };
    return CLI::Validator(complaint, "");
}

}  // namespace

CLI::Validator between(int64_t least, int64_t most, const char* kind) { return check_of(least, most, kind); }

CLI::Validator between_fractions(double least, double most) { return check_of(least, most, "a number"); }

}  // namespace xsched::cli
