#include "server/stopped_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/directory.h"

namespace xsched::server {
namespace {

TEST(StoppedWatch, AStoppedProcessIsTold) {
    const pid_t child = fork();
    if (child == 0) pause();
    EXPECT_FALSE(is_stopped(child));
    kill(child, SIGSTOP);
    ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
    EXPECT_TRUE(is_stopped(child));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_FALSE(is_stopped(child));
    EXPECT_FALSE(is_stopped(0));
}

TEST(StoppedWatch, AFrozenGroupIsTold) {
    const test::TemporaryDirectory directory;
    std::filesystem::create_directories(directory.path() + "/job_1/step_0");
    const auto put = [&](const char* text) { std::ofstream(directory.path() + "/job_1/step_0/cgroup.events") << text; };
    const std::vector<std::string> mounts{"/nowhere", directory.path()};
    EXPECT_FALSE(is_frozen("/job_1/step_0", mounts)) << "no such file";
    put("populated 1\nfrozen 0\n");
    EXPECT_FALSE(is_frozen("/job_1/step_0", mounts));
    put("populated 1\nfrozen 1\n");
    EXPECT_TRUE(is_frozen("/job_1/step_0", mounts));
    EXPECT_FALSE(is_frozen("", mounts)) << "its group is not known";
}

}  // namespace
}  // namespace xsched::server
