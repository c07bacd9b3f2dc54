// A child process that may hang or crash: it has so long and no longer, and what it started ends with it. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/doctor/load.h"
#include "cli/server_link.h"

namespace xsched::cli {

enum class Ending {
    kDone,        // it printed what it found
    kFailed,      // it printed a sentence, or none and an exit status
    kHung,        // it was ended when its time was over
    kCrashed,     // by a signal
    kNotRun,      // never started
};
inline const char* word_of(Ending ending) {
    switch (ending) {
        case Ending::kDone: return "done";
        case Ending::kFailed: return "failed";
        case Ending::kHung: return "hung";
        case Ending::kCrashed: return "crashed";
        case Ending::kNotRun: break;
    }
    return "not run";
}

struct ChildResult {
    Ending ending = Ending::kNotRun;
    Json found;        // its last line of standard output that is JSON
    std::string says;  // unless it is done: what happened, and in what
    double seconds = 0;
    std::string log;   // the end of its standard error
    Json threads;      // of one that hung: where each stood in the kernel (hung_child.h)
    Load load;         // of this machine meanwhile; whoever starts the child measures it
    int rounds = 1;    // that came to this result
    bool again = false;  // the first try was disturbed, and this is the second
};

// Variables that the child has besides this process's; an empty value unsets one.
using Variables = std::map<std::string, std::string>;

ChildResult run_guarded(const std::vector<std::string>& words, const Variables& variables, double limit_s);

}  // namespace xsched::cli
