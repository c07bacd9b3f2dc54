// Finds our own files relative to this program (bin/xcli, bin/xserver, lib/lib*.so, or where CMAKE_INSTALL_LIBDIR
// points), in a build tree as after installation.
#pragma once

#include <string>
#include <vector>

#include "cli/platforms.h"

namespace xsched::cli {

struct Shim {
    std::string path;
    std::string preload;  // its entry in LD_PRELOAD
    const PlatformInfo* platform;
};

struct Installation {
    std::string server;              // xserver's path; empty: not there
    std::string simulator;           // xsim's path; empty: not there
    std::string library_directory;   // folder of the libraries and of the shims' documented names
    std::string data;                // folder with the file that names our Vulkan layer; empty: not there
    std::string report;              // the program that measures for xcli report
    std::vector<Shim> shims;         // those that were built
};

Installation find_installation();
// Returns the path of a page of the installed documents, such as "web.md"; the name alone if they are not installed.
std::string page(const std::string& name);

}  // namespace xsched::cli
