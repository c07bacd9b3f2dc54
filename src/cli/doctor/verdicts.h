// Turns the results of the steps of xcli doctor --run into a verdict for each preempt level. Pure: no process, file,
// variable or clock. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/doctor/doctor.h"
#include "cli/doctor/guarded_child.h"
#include "cli/doctor/use.h"

namespace xsched::cli {

struct Verdict {
    int level = 0;
    Use use = Use::kNotTried;
    std::string because;    // a sentence: what speaks against the level, or what was seen
    Variables environment;  // variables with which programs use the level
};

struct Evidence {
    std::string platform;                       // as in XSCHED_PLATFORM
    std::map<std::string, ChildResult> steps;   // by name (doctor/steps.h); a missing step was not run
    std::vector<Finding> findings;              // findings about files and settings
    Json surroundings;                          // facts about the machine, only for the saved file
    bool opencl_guards = true;                  // this build has level 2 of OpenCL
};

// Returns the variables with which programs use the level, as far as the steps have told them.
Variables environment_for(const Evidence& evidence, int level);
std::vector<Verdict> judge(const Evidence& evidence);
// Returns advice that speaks against no level.
std::vector<std::string> advice(const Evidence& evidence);
// Returns HIP's way to level 3 that works and stops soonest. Returns "mask" if none stops but victims can be confined
// to few compute units; empty if no way works.
std::string best_way(const Evidence& evidence);

}  // namespace xsched::cli
