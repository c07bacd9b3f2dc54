// The options of xcli doctor --run.
#pragma once

#include <string>

namespace xsched::cli {

struct DoctorRun {
    std::string platform;     // empty: the first platform whose driver is on this machine
    int level = 3;            // highest level to try
    double seconds = 20;      // length of each main job; other steps take a part of it
    double patience_s = 0;    // extra time for a step; 0: the step's own
    std::string only;         // names of steps, separated by commas; empty: all
    std::string save;         // file for the JSON result; empty: none
    bool keep = false;        // keep the measured costs for xserver and xsim
    std::string root = "/";   // folder in which files are looked for, see Machine
    bool json = false;
};

}  // namespace xsched::cli
