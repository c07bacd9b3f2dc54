// Tests the helper by which tests that run as another user can reach the built programs, even if the build lies in a
// private directory.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/directory.h"
#include "support/open_folders.h"
#include "support/users.h"

namespace {

using namespace xsched;

TEST(OtherUsers, ReachTheProgramsOfThisBuild) {
    NEEDS_ROOT("to become another user");
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    EXPECT_EQ(test::as_nobody([&] { return access(program.c_str(), X_OK) == 0 ? 0 : 1; }), 0) << program;
}

// Another user can run a program that lies in closed folders: in a folder of mode 0700, as a home may be, and in one
// below.
TEST(OtherUsers, EnterFoldersThatAreClosedToThem) {
    NEEDS_ROOT("to become another user");
    const test::TemporaryDirectory home;  // of mode 0700
    const std::string inner = home / "inner";
    const std::string file = inner + "/program";
    ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
    std::ofstream(file) << "text";
    std::ofstream(home / "beside") << "more";
    ASSERT_EQ(symlink("beside", (home / "link").c_str()), 0);
    const auto reads = [](const std::string& path) { return access(path.c_str(), R_OK) == 0; };
    ASSERT_EQ(test::as_nobody([&] { return reads(file) ? 1 : 0; }), 0) << "they cannot";
    const std::string why_not = home / "why";
    const int status = test::in_child([&] {
        if (const std::string why = test::open_folders_above(file); !why.empty()) {
            std::ofstream(why_not) << why;
            return 4;
        }
        return test::become(test::kNobody) && reads(file) && reads(home / "beside") && reads(home / "link") ? 0 : 1;
    });
    if (status == 4) GTEST_SKIP() << std::ifstream(why_not).rdbuf();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(test::as_nobody([&] { return reads(file) ? 1 : 0; }), 0) << "elsewhere the folders are as they were";
}

}  // namespace
