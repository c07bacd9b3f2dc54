// Where our own files are: everything is found from this program's own place (bin/xcli, bin/xserver, lib/lib*.so, or
// where CMAKE_INSTALL_LIBDIR was), in a build tree as after installing.
#pragma once

#include <string>
#include <vector>

#include "cli/platforms.h"

namespace xsched::cli {

struct Shim {
    std::string path;
    std::string preload;  // what LD_PRELOAD is to have
    const PlatformInfo* platform;
};

struct Installation {
    std::string server;              // xserver's path; empty: not there
    std::string library_directory;   // of the libraries and the shims' documented names
    std::string report;              // the program that measures for xcli report
    std::vector<Shim> shims;         // those that were built
};

Installation find_installation();

}  // namespace xsched::cli
