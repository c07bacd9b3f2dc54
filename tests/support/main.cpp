// The main function of all GoogleTest programs: what xsched_googletest (cmake/precompiled.cmake) links.
#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "support/open_folders.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    xsched::test::why_closed() = xsched::test::open_folders_above(program.string());
    return RUN_ALL_TESTS();
}
