// xcli top: shows programs and their use of devices, live on a terminal.
#pragma once

#include <string>

#include "cli/top/view.h"

namespace xsched::cli {

struct TopWords {
    std::string interval = "1s";
    double frequency = 0;  // looks per second, instead of an interval; 0: not given
    bool once = false;
    std::string sort = "held";
    std::string filter;
};

// Runs until q or Ctrl-C. Prints once if standard output is no terminal, with `once`, or as JSON. Throws Failure.
int show_top(const TopWords& words, bool json);

}  // namespace xsched::cli
