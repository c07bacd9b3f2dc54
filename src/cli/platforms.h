// The platforms that this version knows, built or not, from src/platform/<p>/platform.json.
#pragma once

namespace xsched::cli {

struct PlatformInfo {
    const char* name;
    const char* title;         // for people
    const char* shim;          // its file's name
    const char* variable;      // the variable that names the vendor's library
    const char* shim_also_in;  // another variable that must name the shim, beside LD_PRELOAD; "": none
    const char* layer_switch;  // a variable that turns the shim on as a layer of Vulkan's loader; "": it is preloaded
    const char* libraries[5];  // names of the vendor's library; nullptr ends them
    const char* pci_vendors[3];  // numbers of vendors whose devices the interface is made for; nullptr ends them; none:
                                 // it is of no vendor
    const char* nodes[5];  // device nodes; one of them exists if the kernel has the driver
    const char* folders[8];  // folders in which the shim looks beyond the linker's; they count only with such a node
    bool nodes_suffice;  // such a node is enough: programs bring the library themselves, where no linker finds it
    const char* trials;  // names of the trials of its probe
    int most_level;  // the highest preempt level that the trials try
    const char* saved_files;  // patterns of files with facts about the driver (surroundings.h)
};

inline constexpr PlatformInfo kPlatforms[] = {
#define LIST(...) {__VA_ARGS__}
#define PLATFORM(name, title, variable, shim_also_in, layer_switch, libraries, pci_vendors, nodes, folders, \
                 nodes_suffice, trials, most_level, saved_files)                                            \
    {#name, title,   "libshim" #name ".so", variable, shim_also_in, layer_switch, libraries, pci_vendors,   \
     nodes, folders, nodes_suffice,         trials,   most_level,   saved_files},
#include "platforms.inc"
#undef LIST
};

// Returns whether the vendor's loader loads the shim, so that it is not preloaded.
inline bool is_layer(const PlatformInfo& platform) { return *platform.layer_switch != '\0'; }

}  // namespace xsched::cli
