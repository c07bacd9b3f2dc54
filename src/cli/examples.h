// Adds the examples to each command's help. The main thread.
#pragma once

#include <CLI/CLI.hpp>

namespace xsched::cli {

// Adds them before the existing footers.
void add_examples(CLI::App& app);

}  // namespace xsched::cli
