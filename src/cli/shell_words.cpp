#include "cli/shell_words.h"

#include "console/command_line.h"

namespace xsched::cli {
namespace {

using console::shown_commands;

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

std::string for_bash(const CLI::App& app) {
    std::string cases;
    std::string all;
    for (const CLI::App* command : shown_commands(app)) {
        std::string words;
        for (const CLI::Option* option : command->get_options()) {
            const std::string names = names_of(*option);
            if (!names.empty()) words += (words.empty() ? "" : " ") + names;
        }
        all += (all.empty() ? "" : " ") + command->get_name();
        cases += "        " + command->get_name() + ") words=" + in_quotes(words) + " ;;\n";
    }
    return "# bash completion of xcli\n_xcli() {\n    local word=${COMP_WORDS[COMP_CWORD]} words=\n    local i\n"
           "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "        if [[ ${COMP_WORDS[1]} == run && ${COMP_WORDS[i]} == -- ]]; then\n"
           "            COMPREPLY=($(compgen -c -f -- \"$word\"))\n            return\n        fi\n    done\n"
           "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W " +
           in_quotes(all) + " -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n" + cases +
           "    esac\n    COMPREPLY=($(compgen -W \"$words\" -f -- \"$word\"))\n}\ncomplete -F _xcli xcli\n";
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

std::string for_zsh(const CLI::App& app) {
    std::string commands;
    std::string cases;
    for (const CLI::App* command : shown_commands(app)) {
        commands += "        " + in_quotes(for_zsh_text(command->get_name()) + ":" + command->get_description()) + "\n";
        cases += "        " + command->get_name() + ") _arguments";
        for (const CLI::Option* option : command->get_options()) {
            const std::string text = "[" + for_zsh_text(option->get_description()) + "]";
            const std::string value = takes_value(*option) ? ":value:_files" : "";
            for (const std::string& name : option->get_snames()) cases += " " + in_quotes("-" + name + text + value);
            for (const std::string& name : option->get_lnames()) cases += " " + in_quotes("--" + name + text + value);
        }
        cases += " '*:word:_files' ;;\n";
    }
    return "#compdef xcli\n# zsh completion of xcli\n_xcli() {\n    local -a commands=(\n" + commands +
           "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n" +
           cases + "    esac\n}\n_xcli \"$@\"\n";
}

std::string for_fish(const CLI::App& app) {
    std::string text = "# fish completion of xcli\n";
    for (const CLI::App* command : shown_commands(app)) {
        text += "complete -c xcli -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
                in_quotes(command->get_description()) + "\n";
        for (const CLI::Option* option : command->get_options()) {
            if (names_of(*option).empty()) continue;
            text += "complete -c xcli -n '__fish_seen_subcommand_from " + command->get_name() + "'";
            for (const std::string& name : option->get_snames()) text += " -s " + name;
            for (const std::string& name : option->get_lnames()) text += " -l " + name;
            text +=
                std::string(takes_value(*option) ? " -r" : "") + " -d " + in_quotes(option->get_description()) + "\n";
        }
    }
    return text;
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& shell) {
    return shell == "bash" ? for_bash(app) : shell == "zsh" ? for_zsh(app) : shell == "fish" ? for_fish(app) : "";
}

}  // namespace xsched::cli
