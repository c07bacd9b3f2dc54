#include "cli/shell_words.h"

#include "console/command_line.h"
#include "console/help.h"

namespace xsched::cli {
namespace {

using console::shown_commands;

constexpr const char* kAboutItself = "help man completion";  // commands that the help does not list

// "-p --priority"
std::string names_of(const CLI::Option& option) {
    std::string names;
    for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : " -") + name;
    for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : " --") + name;
    return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Returns a text in a shell's single quotes.
std::string in_quotes(const std::string& text) {
    std::string result = "'";
    for (const char letter : text) result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return result + "'";
}

// Returns the kind of value that the command takes as its positional argument; empty if it takes none.
std::string argument_kind(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() && option->get_option_text().empty()) return console::value_name(*option);
    return "";
}

// "-p | --priority) kind=N ;;" for each option with a value.
std::string bash_kinds(const CLI::App& command) {
    std::string cases;
    for (const CLI::Option* option : command.get_options()) {
        std::string names = names_of(*option);
        if (names.empty() || !takes_value(*option)) continue;
        if (const size_t gap = names.find(' '); gap != std::string::npos) names.replace(gap, 1, " | ");
        cases += "            " + names + ") kind=" + console::value_name(*option) + " ;;\n";
    }
    return cases.empty() ? "" : "            case $before in\n" + cases + "            esac\n";
}

std::string for_bash(const CLI::App& app) {
    std::string cases;
    std::string all = kAboutItself;
    for (const CLI::App* command : shown_commands(app)) {
        std::string words;
        for (const CLI::Option* option : command->get_options()) {
            const std::string names = names_of(*option);
            if (!names.empty()) words += (words.empty() ? "" : " ") + names;
        }
        for (const CLI::App* part : shown_commands(*command)) words += " " + part->get_name();
        all += " " + command->get_name();
        cases += "        " + command->get_name() + ")\n            words=" + in_quotes(words) +
                 " argument=" + argument_kind(*command) + "\n" + bash_kinds(*command) + "            ;;\n";
    }
    return "# bash completion of xcli\n_xcli() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
           "before=${COMP_WORDS[COMP_CWORD - 1]} words= kind= argument=\n    local i\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
           "            COMPREPLY=($(compgen -c -f -- \"$word\"))\n            return\n        fi\n    done\n"
           "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W " +
           in_quotes(all) + " -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n" + cases +
           "        completion) argument=SHELL ;;\n    esac\n"
           "    [[ -z $kind && $word != -* ]] && kind=$argument\n    case $kind in\n"
           "        FILE) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "        '') COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
           "        *) COMPREPLY=($(compgen -W \"$(xcli complete \"$kind\" 2>/dev/null | cut -f1)\" -- \"$word\")) ;;\n"
           "    esac\n}\ncomplete -F _xcli xcli\n";
}

// Escapes brackets and colons, which have a meaning in zsh's descriptions.
std::string for_zsh_text(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') result += '\\';
        result += letter;
    }
    return result;
}

// Returns what zsh is to offer for a kind of value: files where files are meant, nothing for numbers.
std::string zsh_action(const std::string& kind) {
    return ":" + kind + ":" + (kind == "FILE" ? "_files" : "{_xcli_values " + kind + "}");
}

std::string zsh_arguments(const CLI::App& command) {
    std::string words;
    for (const CLI::Option* option : command.get_options()) {
        const std::string text = "[" + for_zsh_text(option->get_description()) + "]";
        const std::string value = takes_value(*option) ? zsh_action(console::value_name(*option)) : "";
        for (const std::string& name : option->get_snames()) words += " " + in_quotes("-" + name + text + value);
        for (const std::string& name : option->get_lnames()) words += " " + in_quotes("--" + name + text + value);
    }
    const std::string kind = argument_kind(command);
    return words + " " + in_quotes("*" + (kind.empty() ? ":program:_files" : zsh_action(kind)));
}

std::string for_zsh(const CLI::App& app) {
    std::string commands;
    std::string cases;
    for (const CLI::App* command : shown_commands(app)) {
        commands += "        " + in_quotes(for_zsh_text(command->get_name()) + ":" + command->get_description()) + "\n";
        cases += "        " + command->get_name() + ") _arguments" + zsh_arguments(*command) + " ;;\n";
    }
    return "#compdef xcli\n# zsh completion of xcli\n_xcli_values() {\n    local -a values\n    local line\n"
           "    for line in \"${(@f)$(xcli complete $1 2>/dev/null)}\"; do\n"
           "        [[ -n $line ]] && values+=(\"${line%%$'\\t'*}:${line#*$'\\t'}\")\n    done\n"
           "    _describe value values\n}\n_xcli() {\n    local -a commands=(\n" +
           commands +
           "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n" +
           cases + "    esac\n}\nif [[ $funcstack[1] == _xcli ]]; then _xcli \"$@\"; else compdef _xcli xcli; fi\n";
}

std::string fish_values(const std::string& kind) {
    return kind == "FILE" ? " -r" : " -x -a '(xcli complete " + kind + " 2>/dev/null)'";
}

std::string for_fish(const CLI::App& app) {
    std::string text = "# fish completion of xcli\n";
    for (const CLI::App* command : shown_commands(app)) {
        const std::string when = "complete -c xcli -n '__fish_seen_subcommand_from " + command->get_name() + "'";
        text += "complete -c xcli -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
                in_quotes(command->get_description()) + "\n";
        const std::string kind = argument_kind(*command);
        if (!kind.empty()) text += when + (kind == "FILE" ? "" : fish_values(kind)) + "\n";
        for (const CLI::Option* option : command->get_options()) {
            if (names_of(*option).empty()) continue;
            text += when;
            for (const std::string& name : option->get_snames()) text += " -s " + name;
            for (const std::string& name : option->get_lnames()) text += " -l " + name;
            text += (takes_value(*option) ? fish_values(console::value_name(*option)) : "") + " -d " +
                    in_quotes(option->get_description()) + "\n";
        }
    }
    return text;
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
    return shell == "bash" ? for_bash(app) : shell == "zsh" ? for_zsh(app) : shell == "fish" ? for_fish(app) : "";
}

}  // namespace xsched::cli
