// xcli explain: why a program is as fast as it is.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

struct ExplainWords {
    std::vector<std::string> who;  // process numbers, or parts of programs' names; none: all programs
    std::string slow;        // explain each burst that takes longer than this; empty: explain the present state
    std::string time = "1m";  // with `slow`: how long to watch
};

// Returns the exit status. Throws Failure.
int explain(const ExplainWords& words, bool json);

}  // namespace xsched::cli
