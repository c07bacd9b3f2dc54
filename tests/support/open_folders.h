// Folders that other users may not enter, opened for a test that becomes another user. The build may lie in a home of
// mode 0700. In a mount namespace of the test's own each such folder is replaced by one of mode 0755 with the same
// entries at the same paths. The folders themselves stay as they are. The main thread, before there are others.
#pragma once

#include <string>

namespace xsched::test {

// Opens all folders above `path`. Returns an empty text, or why `path` stays closed to others. Only root needs this:
// other users cannot become another user.
std::string open_folders_above(const std::string& path);

// Returns why other users cannot reach the programs of this build; empty: they can. main() prints it
// (support/main.cpp).
inline std::string& why_closed() {
    static std::string why;
    return why;
}

}  // namespace xsched::test
