#include "console/command_line.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include "console/help.h"

namespace xsched::console {
namespace {

// Returns the command that was being read, such as "xcli config check".
std::string command_read(const CLI::App& app, const std::string& name) {
    const std::vector<const CLI::App*> commands = app.get_subcommands(nullptr);
    for (const CLI::App* command : commands)
        if (command->parsed()) return command_read(*command, name + " " + command->get_name());
    return name;
}

// Returns what follows `mark` in a text; empty if the text lacks it.
std::string after(const std::string& text, const std::string& mark) {
    const size_t at = text.find(mark);
    return at == std::string::npos ? "" : text.substr(at + mark.size());
}

// Returns a sentence about words that no option or argument of the command takes. The library lists them backwards.
std::string unexpected(const std::string& words, const std::string& command) {
    const std::string last = words.substr(words.rfind(' ') + 1);
    if (last.front() == '-') return command + " has no option " + last.substr(0, last.find('='));
    return "\"" + last + "\" is one word too many for " + command;
}

// Prints the text of --help or --version. Returns the exit status.
int print_help(const CLI::App& app, const CLI::ParseError& error, const char* name) {
    const int status = app.exit(error);
    if (std::cout.flush() && fflush(stdout) == 0) return status;
    fprintf(stderr, "%s: standard output cannot be written: %s\n", name, strerror(errno));
    return kNotWritten;
}

}  // namespace

std::string sentence_of(const CLI::ParseError& error, const std::string& command) {
    const std::string text = error.what();
    if (const std::string words = after(text, "not expected: "); !words.empty()) return unexpected(words, command);
    if (const std::string value = after(text, "Could not convert: "); !value.empty()) {
        const size_t equals = value.find(" = ");
        const std::string given = equals == std::string::npos ? "" : " \"" + value.substr(equals + 3) + "\"";
        return value.substr(0, equals) + given + " cannot be read as a number";
    }
    if (const size_t list = text.find(" not in {"); list != std::string::npos)
        return text.substr(0, list) + " is none of: " + text.substr(list + 9, text.rfind('}') - list - 9);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.find(" missing") != std::string::npos)
        return text.substr(0, text.find(':')) + " needs a value";
    return text;
}

int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const std::function<int(const std::string&)>& refuse) {
    shape_help(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return print_help(app, error, name);
        const std::string where = command_read(app, name);
        return refuse(sentence_of(error, where) + ": see '" + where + " --help'");
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

}  // namespace xsched::console
