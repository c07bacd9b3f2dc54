// The platforms that this version knows, built or not, as src/platform/<p>/platform.json describes them.
#pragma once

namespace xsched::cli {

struct PlatformInfo {
    const char* name;
    const char* title;         // for people
    const char* shim;          // its file's name
    const char* variable;      // names the vendor's library
    const char* shim_also_in;  // a variable that is to name the shim, beside LD_PRELOAD; "": none
    const char* libraries[5];  // names of the vendor's library; nullptr behind the last
    const char* nodes[5];      // one of them is there if the kernel has the driver
    const char* folders[8];    // where the shim looks besides the linker, which means something with such a node
    bool nodes_suffice;        // programs bring the library themselves, where no linker finds it
    const char* trials;        // that its probe has, as words
    int most_level;            // the highest preempt level that they try
    const char* saved_files;   // patterns of files that tell of the driver (surroundings.h)
};

inline constexpr PlatformInfo kPlatforms[] = {
#define LIST(...) {__VA_ARGS__}
#define PLATFORM(name, title, variable, shim_also_in, libraries, nodes, folders, nodes_suffice, trials, most_level, \
                 saved_files)                                                                                       \
    {#name, title,   "libshim" #name ".so", variable, shim_also_in, libraries,                                      \
     nodes, folders, nodes_suffice,         trials,   most_level,   saved_files},
#include "platforms.inc"
#undef LIST
};

}  // namespace xsched::cli
