// The words of the command line, by groups of commands. Each command's own words belong to the file that reads them.
// The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xsched::cli {

// The facts that main() needs about the command that was given.
struct Words {
    bool json = false;
    std::vector<std::string> program;  // of `xcli run` and `xcli report`
    std::function<int()> command;      // set when the command line has been read
};

// A command with --json, which does `body`.
CLI::App* add_command(CLI::App& app, Words& words, const char* name, const char* help, std::function<int()> body);

// A check of whole numbers.
CLI::Range between(int64_t least, int64_t most);

void add_program_commands(CLI::App& app, Words& words);   // run, report
void add_view_commands(CLI::App& app, Words& words);      // list, status, explain, top
void add_history_commands(CLI::App& app, Words& words);   // windows, record, trace, metrics
void add_facts_commands(CLI::App& app, Words& words);     // server, options, json
void add_doctor(CLI::App& app, Words& words);
void add_web(CLI::App& app, Words& words);
void add_steering_commands(CLI::App& app, Words& words);  // policy, hint, config, limit, suspend, resume, log

}  // namespace xsched::cli
