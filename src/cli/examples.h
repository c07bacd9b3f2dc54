// The examples in each command's help. The main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace xsched::cli {

// In front of what the footers say already.
void add_examples(CLI::App& app);

}  // namespace xsched::cli
