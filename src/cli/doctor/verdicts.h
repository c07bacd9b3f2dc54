// From what the steps of xcli doctor --run found to a verdict for each preempt level. Pure: no process, file, variable
// or clock. Any thread.
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
    std::string because;    // a sentence: what speaks against it, or what was seen
    Variables environment;  // that makes programs use the level
};

struct Evidence {
    std::string platform;                       // as in XSCHED_PLATFORM
    std::map<std::string, ChildResult> steps;   // by name (doctor/steps.h); one that is missing was not run
    std::vector<Finding> findings;              // of files and settings
    Json surroundings;                          // of the machine, for the saved file alone
    bool opencl_guards = true;                  // whether this build has level 2 of OpenCL
};

std::vector<Verdict> judge(const Evidence& evidence);
// Returns things to know or change that speak against no level.
std::vector<std::string> advice(const Evidence& evidence);
// HIP's way to level 3 that works and stops soonest; "mask" where none stops and victims can be kept to few compute
// units; empty: none does.
std::string best_way(const Evidence& evidence);

}  // namespace xsched::cli
