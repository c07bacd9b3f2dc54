// -w: repeats a command that looks, until it is interrupted. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace xsched::cli {

struct WatchWords {
    bool watch = false;
    std::string interval;  // empty: 2s
};

// Checks a time between two looks (time_text.h).
CLI::Validator is_interval();

void add_watch(CLI::App* command, WatchWords& words);
// Repeats `look`, which prints and returns the exit status. On a terminal each look replaces the one before.
int watch(const WatchWords& words, const std::function<int()>& look);

}  // namespace xsched::cli
