// Where the log of a server lies that a program has started: never where another user wants it.
#include "server/background.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/server_rig.h"

namespace xsched::server {
namespace {

class BackgroundLog : public ::testing::Test {
protected:
    std::string log() const { return directory_ / "x.log"; }
    std::string asked() const { return background_log(directory_.socket()); }
    void write(const std::string& path, size_t bytes) const { std::ofstream(path) << std::string(bytes, 'x'); }
    test::PrivateDirectory directory_;
};

TEST_F(BackgroundLog, IsBesideTheSocket) {
    EXPECT_EQ(asked(), log());
    write(log(), 100);
    EXPECT_EQ(asked(), log());
    EXPECT_EQ(std::filesystem::file_size(log()), 100U) << "a short one goes on";
}

TEST_F(BackgroundLog, OverAMebibyteItBeginsAnew) {
    write(log(), (1 << 20) + 1);
    EXPECT_EQ(asked(), log());
    EXPECT_EQ(std::filesystem::file_size(log()), 0U);
}

TEST_F(BackgroundLog, ALinkIsNotFollowed) {
    const std::string victim = directory_ / "victim";
    write(victim, 2 << 20);
    ASSERT_EQ(symlink(victim.c_str(), log().c_str()), 0);
    EXPECT_EQ(asked(), "");
    EXPECT_EQ(std::filesystem::file_size(victim), 2U << 20);
}

TEST_F(BackgroundLog, AFifoIsNotWaitedFor) {
    ASSERT_EQ(mkfifo(log().c_str(), 0600), 0);
    EXPECT_EQ(asked(), "");
}

TEST_F(BackgroundLog, AnotherUsersFileIsLeftAlone) {
    NEEDS_ROOT("to make a file of another user's");
    write(log(), 2 << 20);
    ASSERT_EQ(chown(log().c_str(), 60001, 60001), 0);
    EXPECT_EQ(asked(), "");
    EXPECT_EQ(std::filesystem::file_size(log()), 2U << 20);
}

}  // namespace
}  // namespace xsched::server
