// The options of xcli doctor --run.
#pragma once

#include <string>

namespace xsched::cli {

struct DoctorRun {
    std::string platform;     // empty: the first whose driver is there
    int level = 3;            // the highest that is tried
    double seconds = 20;      // of the main job, each time; other steps measure for a part of it
    double patience_s = 0;    // what a step may take besides; 0: as the step says
    std::string only;         // steps, divided by commas; empty: all
    std::string save;         // a file for the JSON; empty: none
    bool keep = false;        // the costs of switches and calls, for xserver and xsim
    std::string root = "/";   // of files and settings, see Machine
    bool json = false;
};

}  // namespace xsched::cli
