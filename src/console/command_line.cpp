#include "console/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/did_you_mean.h"
#include "console/fold.h"
#include "console/help.h"

namespace xsched::console {
namespace {

// The command that was being read.
struct CommandRead {
    const CLI::App* app;
    std::string name;  // such as "xcli config check"
};

CommandRead command_read(const CLI::App& app, const std::string& name) {
    const std::vector<const CLI::App*> commands = app.get_subcommands(nullptr);
    for (const CLI::App* command : commands)
        if (command->parsed()) return command_read(*command, name + " " + command->get_name());
    return {&app, name};
}

std::string meant_option(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::Option* option : shown_options(command))
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    return base::meant(known, word);
}

std::string meant_part(const CLI::App& command, const std::string& word) {
    std::vector<std::string> known;
    for (const CLI::App* part : shown_commands(command)) known.push_back(part->get_name());
    return base::meant(known, word);
}

// Returns what follows `mark` in a text; empty if the text lacks it.
std::string after(const std::string& text, const std::string& mark) {
    const size_t at = text.find(mark);
    return at == std::string::npos ? "" : text.substr(at + mark.size());
}

// Returns a sentence about words that no option or argument of the command takes. The library lists them backwards.
std::string unexpected(const std::string& words, const CommandRead& command) {
    const std::string last = words.substr(words.rfind(' ') + 1);
    const std::string option = last.substr(0, last.find('='));
    if (last.front() == '-') {
        const bool there = command.app->get_option_no_throw(option) != nullptr;  // so it stands before the command
        return there ? option + " goes behind the command: " + command.name + " " + option
                     : command.name + " has no option " + option + meant_option(*command.app, option);
    }
    return "\"" + last + "\" is one word too many for " + command.name + meant_part(*command.app, last);
}

// Returns a sentence about a flag that was given a value. `name`: as the library has it, without hyphens.
std::string takes_no_value(const std::string& name, const CommandRead& command) {
    const std::string flag = (name.size() == 1 ? "-" : "--") + name;
    const bool has_opposite = command.app->get_option_no_throw("--no-" + name) != nullptr;
    return flag + " takes no value: write " + flag + (has_opposite ? " or --no-" + name : " alone, or leave it out");
}

// Returns a sentence about two options that do not go together; empty: the error is another one. `text`: "--time
// excludes --last" or "--time requires --slow".
std::string together(const CLI::ParseError& error, const std::string& text) {
    const std::string one = text.substr(0, text.find(' '));
    const std::string other = text.substr(text.rfind(' ') + 1);
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
        return one + " does not go together with " + other + ": leave out one of them";
    if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr)
        return one + " has no effect without " + other + ": add " + other;
    return "";
}

// Lets flags take no value, as "--watch=5". The library would take any for a yes.
void refuse_values_of_flags(CLI::App& app) {
    for (CLI::Option* option : app.get_options())
        if (option->get_items_expected_max() == 0) option->disable_flag_override();
    for (CLI::App* command : app.get_subcommands(nullptr)) refuse_values_of_flags(*command);
}

// Prints the text of --help or --version. Returns the exit status.
int print_help(const CLI::App& app, const CLI::ParseError& error, const char* name) {
    const int status = app.exit(error);
    if (std::cout.flush() && fflush(stdout) == 0) return status;
    print_error("%s: standard output cannot be written: %s\n", name, strerror(errno));
    return kNotWritten;
}

// Returns the complaint with the argument's name for people instead of its option, unless that option was typed.
// `text`:
// "--pid: the name is empty", for a word of "PROGRAM,--pid".
std::string as_typed(const std::string& text, const CommandRead& command, const std::vector<std::string>& typed) {
    const size_t colon = text.find(": ");
    if (colon == std::string::npos || !text.starts_with("-")) return text;
    const CLI::Option* option = command.app->get_option_no_throw(text.substr(0, colon));
    if (option == nullptr || !option->get_positional()) return text;
    for (const std::string& word : typed)
        if (word.starts_with("-") && option->check_name(word.substr(0, word.find('=')))) return text;
    return option->get_name(true) + text.substr(colon);
}

// Returns the option that a parse error is about. CLI11 gives no name to one that the help leaves out: it is the last
// that was typed.
std::string option_in(const std::string& text, const std::vector<std::string>& typed) {
    const size_t colon = text.find(':');
    if (colon != 0) return text.substr(0, colon);
    const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
    const auto last = std::find_if(typed.rbegin(), typed.rend(), is_option);
    return last != typed.rend() ? *last : "";
}

// Returns a parse error of the command as a sentence that names the word or value that is wrong, and what was meant.
std::string sentence_of(const CLI::ParseError& error, const CommandRead& command,
                        const std::vector<std::string>& typed) {
    const std::string text = as_typed(error.what(), command, typed);
    if (text.find("subcommand is required") != std::string::npos)
        return !typed.empty() && command.app->get_option_no_throw(typed[0]) == nullptr ? unexpected(typed[0], command)
                                                                                       : "say which command";
    if (const std::string words = after(text, "not expected: "); !words.empty()) return unexpected(words, command);
    if (const std::string value = after(text, "Could not convert: "); !value.empty()) {
        const size_t equals = value.find(" = ");
        const std::string given = equals == std::string::npos ? "" : " \"" + value.substr(equals + 3) + "\"";
        return value.substr(0, equals) + given + " cannot be read as a number";
    }
    if (const size_t flag = text.find(" was given a disallowed flag override"); flag != std::string::npos)
        return takes_no_value(text.substr(0, flag), command);
    if (const std::string sentence = together(error, text); !sentence.empty()) return sentence;
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.find(" missing") != std::string::npos)
        return option_in(text, typed) + " needs a value";
    if (text.find(": At Most 1 required but received ") != std::string::npos)
        return option_in(text, typed) + " is given several times";
    return text;
}

}  // namespace

int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse) {
    shape_help(app);
    refuse_values_of_flags(app);
    if (argc > 1 && is_unknown_command(app, argv[1]))
        return refuse("there is no command \"" + std::string(argv[1]) + "\"" + meant_part(app, argv[1]) + ": see '" +
                      name + " --help'");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return print_help(app, error, name);
        const CommandRead command_wrong = command_read(app, name);
        const std::vector<std::string> typed(argv + 1, argv + argc);
        return refuse(sentence_of(error, command_wrong, typed) + ": see '" + command_wrong.name + " --help'");
    }
    try {
        return command();
    } catch (const std::exception& error) {
        return refuse(error.what());
    }
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
    return command.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands(nullptr))
        if (command->get_name() == name) return command;
    return nullptr;
}

bool is_unknown_command(const CLI::App& app, const std::string& word) {
    return app.get_require_subcommand_min() > 0 && !word.starts_with("-") && find_command(app, word) == nullptr;
}

}  // namespace xsched::console
