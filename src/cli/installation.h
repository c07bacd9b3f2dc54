// Where our own files are: everything is found from this program's own place (bin/xcli, bin/xserver, lib/lib*.so, or
// where CMAKE_INSTALL_LIBDIR was), in a build tree as after installing.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

struct Installation {
    std::string server;              // xserver's path; empty: not there
    std::string library_directory;   // of the libraries and the shims' documented names
    std::vector<std::string> shims;  // those that were built
    std::string opencl_shim;         // empty: not built
};

Installation find_installation();

}  // namespace xsched::cli
