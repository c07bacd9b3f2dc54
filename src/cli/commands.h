// The command line's options and arguments, by groups of commands. Those of a single command are in the file that reads
// them. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "console/checks.h"

namespace xsched::cli {

// The facts that main() needs about the given command.
struct Words {
    bool json = false;
    std::vector<std::string> program;  // the program and its arguments (`xcli run`, `xcli report`)
    std::function<int()> command;  // runs the command; set when the command line has been parsed
};

using console::between;
using console::between_fractions;
using console::not_empty;
using console::one_of;
using console::seconds_between;

// Returns a transformation for the levels of a log.
CLI::Validator log_level();

// Adds a command with --json that runs `body`.
CLI::App* add_command(CLI::App& app, Words& words, const char* name, const char* help, std::function<int()> body);

// Adds the words behind "--": the program that the command starts. Its caller says how the usage line shows them.
CLI::Option* add_program(CLI::App* command, Words& words);

// Adds the words that name programs: numbers of processes, or parts of names. An empty word, such as a variable that is
// not set leaves, is refused: it would be a part of every name.
CLI::Option* add_programs(CLI::App* command, const std::string& names, std::vector<std::string>& who,
                          const std::string& help);

// Adds -o,--out: the file that the command writes. "-" is refused: standard output is for what it says of the file.
CLI::Option* add_out(CLI::App* command, std::string& file, const std::string& help);

// Adds a letter that XSched 1.2 had for an option of this command, for scripts that use it: `-t 5` is `--threshold 5`.
// The help leaves it out, because in other commands the letter means another option.
void add_former_letter(CLI::App* command, const std::string& letter, const std::string& option);

void add_program_commands(CLI::App& app, Words& words);  // run, admit, report, demo
void add_view_commands(CLI::App& app, Words& words);  // list, status, explain, top
void add_history_commands(CLI::App& app, Words& words);  // windows, record, trace, metrics
void add_facts_commands(CLI::App& app, Words& words);  // server, options, json
void add_doctor(CLI::App& app, Words& words);
void add_web(CLI::App& app, Words& words);
void add_rules(CLI::App& app, Words& words);
void add_enable(CLI::App& app, Words& words);  // enable, disable
void add_container(CLI::App& app, Words& words);
void add_pool(CLI::App& app, Words& words);
void add_about_commands(CLI::App& app, Words& words);  // help, man, completion
void add_steering_commands(CLI::App& app, Words& words);  // policy, hint, config, limit, suspend, resume, log

}  // namespace xsched::cli
