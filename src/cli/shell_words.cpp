#include "cli/shell_words.h"

#include "console/command_line.h"
#include "console/help.h"

namespace xsched::cli {
namespace {

using console::shown_commands;
using console::shown_options;

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

// Returns the kind of value that an option or argument has: a word that 'xcli complete' knows, FILE, COMMAND, or "="
// and the words that it may be.
std::string kind_of(const CLI::Option& option) {
    const std::string choices = console::choices(option);
    return choices.empty() ? console::value_name(option) : "=" + choices;
}

// Returns the kind of value that the command takes as its first argument; empty if it takes none.
std::string argument_kind(const CLI::App& command) {
    for (const CLI::Option* option : shown_options(command))
        if (option->get_positional() && option->get_option_text().empty()) return kind_of(*option);
    return "";
}

// "check": the commands within a command.
std::string parts_of(const CLI::App& command) {
    std::string parts;
    for (const CLI::App* part : shown_commands(command)) parts += (parts.empty() ? "" : " ") + part->get_name();
    return parts;
}

// "-p | --priority) kind='N' ;;" for each option with a value.
std::string bash_kinds(const CLI::App& command) {
    std::string cases;
    for (const CLI::Option* option : shown_options(command)) {
        std::string names = names_of(*option);
        if (names.empty() || !takes_value(*option)) continue;
        if (const size_t gap = names.find(' '); gap != std::string::npos) names.replace(gap, 1, " | ");
        cases += "            " + names + ") kind=" + in_quotes(kind_of(*option)) + " ;;\n";
    }
    return cases.empty() ? "" : "            case $before in\n" + cases + "            esac\n";
}

// Returns the case of a command, or of a command within one. `pattern`: the words of the line that mean it.
std::string bash_case(const CLI::App& command, const std::string& pattern) {
    std::string words;
    for (const CLI::Option* option : shown_options(command)) {
        const std::string names = names_of(*option);
        if (!names.empty()) words += (words.empty() ? "" : " ") + names;
    }
    const std::string parts = parts_of(command);
    if (!parts.empty()) words += " " + parts;
    return "        " + pattern + ")\n            words=" + in_quotes(words) + " parts=" + in_quotes(parts) +
           " argument=" + in_quotes(argument_kind(command)) + "\n" + bash_kinds(command) + "            ;;\n";
}

std::string for_bash(const CLI::App& app) {
    std::string cases;
    std::string all;
    for (const CLI::App* command : shown_commands(app)) {
        const std::string& name = command->get_name();
        for (const CLI::App* part : shown_commands(*command))
            cases += bash_case(*part, in_quotes(name + " " + part->get_name()));
        all += (all.empty() ? "" : " ") + name;
        cases += bash_case(*command, in_quotes(name) + " | " + in_quotes(name + " ") + "*");
    }
    return "# bash completion of xcli\n_xcli() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
           "before=${COMP_WORDS[COMP_CWORD - 1]} words= parts= kind= argument=\n    local i command=${COMP_WORDS[1]}\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
           "            COMPREPLY=($(compgen -c -f -- \"$word\"))\n            return\n        fi\n    done\n"
           "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W " +
           in_quotes(all) +
           " -- \"$word\"))\n        return\n    fi\n"
           "    ((COMP_CWORD > 2)) && command+=\" ${COMP_WORDS[2]}\"\n    case $command in\n" +
           cases +
           "    esac\n    ((COMP_CWORD > 2)) && parts=\n"
           "    [[ -z $kind && $word != -* ]] && kind=$argument || parts=\n    case $kind in\n"
           "        FILE) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "        COMMAND) COMPREPLY=($(compgen -c -- \"$word\")) ;;\n"
           "        '') COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
           "        =*) COMPREPLY=($(compgen -W \"${kind#=}\" -- \"$word\")) ;;\n"
           "        *) COMPREPLY=($(compgen -W \"$parts $(xcli complete \"$kind\" 2>/dev/null | cut -f1)\" -- "
           "\"$word\")) ;;\n"
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

// Returns what zsh is to offer for a kind of value: files where files are meant, nothing for numbers. `parts`: also
// these commands.
std::string zsh_action(const std::string& kind, const std::string& parts = "") {
    if (kind == "FILE") return ":FILE:_files";
    if (kind == "COMMAND") return ":PROGRAM:_command_names -e";
    if (kind.starts_with("=")) return ":value:(" + kind.substr(1) + ")";
    return ":" + kind + ":{_xcli_values " + kind + (parts.empty() ? "" : " " + parts) + "}";
}

std::string zsh_arguments(const CLI::App& command) {
    std::string words;
    for (const CLI::Option* option : shown_options(command)) {
        const std::string text = "[" + for_zsh_text(option->get_description()) + "]";
        const std::string value = takes_value(*option) ? zsh_action(kind_of(*option)) : "";
        for (const std::string& name : option->get_snames()) words += " " + in_quotes("-" + name + text + value);
        for (const std::string& name : option->get_lnames()) words += " " + in_quotes("--" + name + text + value);
    }
    const std::string kind = argument_kind(command);
    const std::string parts = parts_of(command);
    if (!parts.empty())
        words += " " + in_quotes("1" + (kind.empty() ? ":part:(" + parts + ")" : zsh_action(kind, parts)));
    return words + " " + in_quotes("*" + (kind.empty() ? ":program:_files" : zsh_action(kind)));
}

std::string for_zsh(const CLI::App& app) {
    std::string commands;
    std::string cases;
    for (const CLI::App* command : shown_commands(app)) {
        const std::string& name = command->get_name();
        commands += "        " + in_quotes(for_zsh_text(name) + ":" + command->get_description()) + "\n";
        for (const CLI::App* part : shown_commands(*command))
            cases += "        " + in_quotes(name + " " + part->get_name()) +
                     ") shift words; ((CURRENT--)); _arguments" + zsh_arguments(*part) + " ;;\n";
        cases += "        " + in_quotes(name) + "|" + in_quotes(name + " ") + "*) _arguments" +
                 zsh_arguments(*command) + " ;;\n";
    }
    return "#compdef xcli\n# zsh completion of xcli\n_xcli_values() {\n    local -a values\n    local line kind=$1\n"
           "    shift\n    values=($@)\n"
           "    for line in \"${(@f)$(xcli complete $kind 2>/dev/null)}\"; do\n"
           "        [[ -n $line ]] && values+=(\"${line%%$'\\t'*}:${line#*$'\\t'}\")\n    done\n"
           "    _describe value values\n}\n_xcli() {\n    local -a commands=(\n" +
           commands +
           "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    ((CURRENT > 3)) && command+=\" $words[3]\"\n    shift words\n"
           "    ((CURRENT--))\n    case $command in\n" +
           cases + "    esac\n}\nif [[ $funcstack[1] == _xcli ]]; then _xcli \"$@\"; else compdef _xcli xcli; fi\n";
}

std::string fish_values(const std::string& kind) {
    if (kind == "FILE") return " -r -F";
    if (kind == "COMMAND") return " -x -a '(__fish_complete_command)'";
    if (kind.starts_with("=")) return " -x -a " + in_quotes(kind.substr(1));
    return " -x -a '(xcli complete " + kind + " 2>/dev/null)'";
}

// Returns the lines of a command, or of a command within one. `when`: the condition under which the line has it.
std::string fish_command(const CLI::App& command, const std::string& when) {
    const std::string begin = "complete -c xcli -n " + in_quotes(when);
    const std::string kind = argument_kind(command);
    std::string text;
    if (!kind.empty()) text += begin + fish_values(kind) + "\n";
    for (const CLI::Option* option : shown_options(command)) {
        if (names_of(*option).empty()) continue;
        text += begin;
        for (const std::string& name : option->get_snames()) text += " -s " + name;
        for (const std::string& name : option->get_lnames()) text += " -l " + name;
        text += (takes_value(*option) ? fish_values(kind_of(*option)) : "") + " -d " +
                in_quotes(option->get_description()) + "\n";
    }
    return text;
}

std::string for_fish(const CLI::App& app) {
    std::string text = "# fish completion of xcli\n";
    const std::string seen = "__fish_seen_subcommand_from ";
    for (const CLI::App* command : shown_commands(app)) {
        const std::string& name = command->get_name();
        text += "complete -c xcli -n __fish_use_subcommand -f -a " + name + " -d " +
                in_quotes(command->get_description()) + "\n";
        std::string when = seen + name;
        const std::string parts = parts_of(*command);
        if (!parts.empty()) when += "; and not " + seen + parts;
        text += fish_command(*command, when);
        for (const CLI::App* part : shown_commands(*command)) {
            text += "complete -c xcli -n " + in_quotes(when) + " -f -a " + part->get_name() + " -d " +
                    in_quotes(part->get_description()) + "\n";
            text += fish_command(*part, seen + name + "; and " + seen + part->get_name());
        }
    }
    return text;
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
    return shell == "bash" ? for_bash(app) : shell == "zsh" ? for_zsh(app) : shell == "fish" ? for_fish(app) : "";
}

}  // namespace xsched::cli
