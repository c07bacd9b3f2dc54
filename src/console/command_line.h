// The frame of a command-line program. Every error is one sentence on standard error, and the exit status says which
// kind it was. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <exception>
#include <functional>
#include <string>

namespace xsched::console {

inline constexpr int kUsage = 2;  // exit status: the command line is wrong, or what it asks for cannot be done

// What went wrong, and the sentence for people. Its result is the exit status.
using Refuse = std::function<int(const std::exception& error, const std::string& sentence)>;

// Reads the command line, then runs what it asks for (`command`, which the options' callbacks set). `name`: the
// program's, for the hint at its help.
int run(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& command,
        const Refuse& refuse);

}  // namespace xsched::console
