// Runs a child process that may hang or crash. It has a time limit, and processes that it started end with it. One
// thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/doctor/load.h"
#include "cli/server_link.h"

namespace xsched::cli {

enum class Ending {
    kDone,        // it printed a result
    kFailed,      // it printed a sentence, or nothing, and has an exit status
    kHung,        // it was ended because its time was over
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
    std::string says;  // what went wrong and in which step; empty if the child is done
    double seconds = 0;
    std::string log;   // the end of its standard error
    Json threads;      // if it hung: where each of its threads stood in the kernel (hung_child.h)
    Load load;         // load of the machine meanwhile, measured by the caller
    int rounds = 1;    // number of rounds in this result
    bool again = false;  // the first try was disturbed; this is the second
};

// Changes to this process's variables for the child; an empty value unsets one.
using Variables = std::map<std::string, std::string>;

ChildResult run_guarded(const std::vector<std::string>& words, const Variables& variables, double limit_s);

}  // namespace xsched::cli
