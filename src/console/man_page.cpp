#include "console/man_page.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

#include "console/command_line.h"
#include "console/help.h"

namespace xsched::console {
namespace {

std::string in_capitals(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

// Escapes what man would read as its own markup in a line.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\\')
            result += "\\e";
        else if (letter == '-')
            result += "\\-";
        else
            result += letter;
    }
    return result.empty() || (result[0] != '.' && result[0] != '\'') ? result : "\\&" + result;
}

// Returns text whose lines stand as they are, such as examples.
std::string as_it_stands(const std::string& text) {
    std::string result = ".nf\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) result += escaped(line) + "\n";
    return result + ".fi\n";
}

// "-p, --priority VALUE", with the names in bold.
std::string heading(const CLI::Option& option) {
    std::string text;
    const auto add = [&](const std::string& word) {
        text += (text.empty() ? "\\fB" : ", \\fB") + escaped(word) + "\\fR";
    };
    if (option.get_positional() && option.get_lnames().empty()) {
        add(option.get_name(true));
        return text;
    }
    for (const std::string& name : option.get_snames()) add("-" + name);
    for (const std::string& name : option.get_lnames()) add("--" + name);
    const std::string value = value_name(option);
    return value.empty() ? text : text + " \\fI" + escaped(value) + "\\fR";
}

std::string options_of(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : shown_options(app)) {
        std::string sentence = option->get_description();
        std::replace(sentence.begin(), sentence.end(), '\n', ' ');
        text += ".TP\n" + heading(*option) + "\n" + escaped(sentence) + "\n";
    }
    return text;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
    std::string text = ".B " + escaped(name) + "\n";
    if (!shown_commands(app).empty()) return text + "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
    for (const CLI::Option* option : app.get_options())
        if (option->get_positional()) text += "[\\fI" + escaped(option->get_name(true)) + "\\fR]\n";
    return text + "[\\fIOPTIONS\\fR]\n";
}

std::string commands_of(const CLI::App& app, const std::string& name) {
    std::string text = ".SH COMMANDS\n";
    for (const CLI::App* command : shown_commands(app)) {
        text += ".SS " + escaped(name + " " + command->get_name()) + "\n" + escaped(command->get_description()) + ".\n";
        text += options_of(*command);
        if (!command->get_footer().empty()) text += ".PP\n" + as_it_stands(command->get_footer());
    }
    return text;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& name, int section, const std::string& version,
                     const std::string& environment) {
    std::string text = ".TH " + in_capitals(name) + " " + std::to_string(section) + " \"\" \"XSched " + version +
                       "\" \"" + (section == 8 ? "System Administration" : "User Commands") + "\"\n.SH NAME\n" + name +
                       " \\- " + escaped(app.get_description()) + "\n.SH SYNOPSIS\n" + synopsis(app, name);
    if (!shown_commands(app).empty()) text += commands_of(app, name);
    text += ".SH OPTIONS\n" + options_of(app);
    if (!app.get_footer().empty())
        text += (app.get_footer().starts_with("Exit") ? ".SH EXIT STATUS\n" : ".SH NOTES\n") +
                as_it_stands(app.get_footer());
    return text + ".SH ENVIRONMENT\n" + escaped(environment) + "\n";
}

void add_man_page(CLI::App& app, const std::string& name, int section, const std::string& version,
                  const std::string& environment) {
    const auto print = [=, &app] {
        const std::string page = man_page(app, name, section, version, environment);
        fwrite(page.data(), 1, page.size(), stdout);
        throw CLI::Success();
    };
    app.add_flag_callback("--man", print, "print the manual page (for packages)")->group("");
}

}  // namespace xsched::console
