// The options of `xcli hint` and `xcli run` that give hints: one for each row of base/hints.def. The main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/hint_words.h"

namespace xsched::cli {

// Adds the hints that `command` takes. `xcli run` (`run`) checks numbers itself, since it asks no server.
void add_hints(CLI::App* command, HintWords& given, bool run);

}  // namespace xsched::cli
