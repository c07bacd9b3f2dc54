// xcli top: the programs and what they get, live on a terminal.
#pragma once

#include <string>

#include "cli/top/view.h"

namespace xsched::cli {

struct TopWords {
    double interval_s = 1;
    double frequency = 0;  // looks per second instead; 0: not given
    bool once = false;
    std::string sort = "held";
    std::string filter;
};

// Until q or Ctrl-C; prints once if standard output is no terminal, or with `once`, or as JSON. Throws Failure.
int show_top(const TopWords& words, bool json);

}  // namespace xsched::cli
