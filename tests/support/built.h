// Where the build's programs and libraries are: where CMake put them, or in the folder that TEST_BUILD names, to which
// they were taken (scripts/pack_stand_ins.sh). Any thread.
#pragma once

#include <cstdlib>
#include <string>

namespace xsched::test {

#ifdef XSCHED_BIN_DIR  // not defined for a test program that is copied elsewhere, with the files that it needs
inline std::string built_file(const std::string& path) {
    const std::string bin = XSCHED_BIN_DIR;
    const std::string build = bin.substr(0, bin.rfind('/') + 1);
    const char* taken_to = getenv("TEST_BUILD");
    if (taken_to == nullptr || path.compare(0, build.size(), build) != 0) return path;
    return taken_to + ("/" + path.substr(build.size()));
}
#endif

}  // namespace xsched::test
