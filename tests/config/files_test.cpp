#include "config/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/directory.h"
#include "support/environment.h"

namespace xsched::config {
namespace {

using test::make_file;

std::vector<std::string> names(const std::vector<File>& files, const std::string& below) {
    std::vector<std::string> all;
    for (const File& file : files) all.push_back(file.path.substr(below.size() + 1));
    return all;
}

TEST(Files, AreReadInTheOrderOfTheirNamesTheAdministratorsFirst) {
    const test::TemporaryDirectory directory;
    for (const char* name : {"etc/20.toml", "etc/10.toml", "etc/README", "etc/.hidden.toml", "own/05.toml"})
        make_file(directory / name, "x");
    std::vector<Problem> problems;
    const auto files = read_files({directory / "etc", directory / "own"}, problems);
    EXPECT_EQ(names(files, directory.path()), (std::vector<std::string>{"etc/10.toml", "etc/20.toml", "own/05.toml"}));
    EXPECT_TRUE(files.back().is_users);
    EXPECT_TRUE(problems.empty());
    EXPECT_TRUE(read_files({directory / "none", ""}, problems).empty());
    EXPECT_TRUE(problems.empty()) << "a folder that is not there is no problem";
}

TEST(Files, ThatOthersMayWriteAreNotUsed) {
    const test::TemporaryDirectory directory;
    make_file(directory / "etc/a.toml", "x");
    chmod((directory / "etc/a.toml").c_str(), 0664);
    mkfifo((directory / "etc/b.toml").c_str(), 0600);
    make_file(directory / "own/c.toml", "x");
    chmod((directory / "own").c_str(), 0777);
    std::vector<Problem> problems;
    EXPECT_TRUE(read_files({directory / "etc", directory / "own"}, problems).empty());
    ASSERT_EQ(problems.size(), 3U);
    EXPECT_EQ(problems[0].text(), (directory / "etc/a.toml") + ": other users may write to it: 'chmod go-w " +
                                      (directory / "etc/a.toml") + "' prevents that; nothing of it counts");
    EXPECT_NE(problems[1].sentence.find("it is no file"), std::string::npos);
    EXPECT_NE(problems[2].sentence.find("no file in it counts"), std::string::npos);
}

TEST(Files, OfAnotherUserAreNotUsed) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    const test::TemporaryDirectory directory;
    make_file(directory / "a.toml", "x");
    ASSERT_EQ(chown((directory / "a.toml").c_str(), 1234, 1234), 0);
    std::vector<Problem> problems;
    EXPECT_TRUE(read_files({directory.path(), ""}, problems).empty());
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].sentence.find("it belongs to uid 1234"), std::string::npos);
}

TEST(Files, AreWhereTheEnvironmentSays) {
    {
        const test::WithEnvironment environment({{"XSCHED_CONFIG", ""}, {"XDG_CONFIG_HOME", ""}, {"HOME", "/own/u"}});
        EXPECT_EQ(folders(false).administrators, "/etc/xsched");
        EXPECT_EQ(folders(false).users, "/own/u/.config/xsched");
        EXPECT_EQ(folders(true).users, "") << "a server for all users reads no user's files";
    }
    const test::WithEnvironment environment(test::Environment{{"XSCHED_CONFIG", "/a:/b"}});
    EXPECT_EQ(folders(false).administrators, "/a");
    EXPECT_EQ(folders(false).users, "/b");
}

}  // namespace
}  // namespace xsched::config
