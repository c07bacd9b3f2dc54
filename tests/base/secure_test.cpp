// Programs that run with more rights than their caller has: none of our variables counts there. With a real
// set-user-id copy of a program.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/unique_fd.h"
#include "support/directory.h"
#include "support/listener.h"
#include "support/process.h"
#include "support/users.h"

namespace {

using namespace xsched;

class SecureProgram : public testing::Test {
protected:
    void SetUp() override {
#ifndef XSCHED_SECURE_PROGRAM
        GTEST_SKIP() << "a sanitized library has no set-user-id programs";
#else
        NEEDS_ROOT("to make a set-user-id program and to become another user");
        struct statvfs info{};
        ASSERT_EQ(statvfs(folder_.path().c_str(), &info), 0);
        if ((info.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << folder_.path() << " is mounted nosuid";
        ASSERT_EQ(chown(folder_.path().c_str(), 0, test::kNobody), 0);
        ASSERT_EQ(chmod(folder_.path().c_str(), 0770), 0);  // for root and that user alone
        std::ofstream(program(), std::ios::binary) << std::ifstream(XSCHED_SECURE_PROGRAM, std::ios::binary).rdbuf();
        listener_.reset(test::listen_on(server()));
        ASSERT_TRUE(listener_);
        ASSERT_EQ(chmod(server().c_str(), 0777), 0);
#endif
    }

    std::string program() const { return folder_ / "program"; }
    std::string log() const { return folder_ / "log"; }
    std::string server() const { return folder_ / "server"; }

    struct Run {
        int status;
        std::string err;
        bool connected;  // to the server that XSCHED_SOCKET names
    };
    // Runs the test program as the user "nobody", with environment variables that an ordinary program would obey.
    Run run() {
        test::Process process(test::nobody_runs({program()}), {{"XLOG_FILE", log()},
                                                               {"XLOG_LEVEL", "DEBG"},
                                                               {"XSCHED_AUTO_XQUEUE_PRIORITY", "nonsense"},
                                                               {"XSCHED_SOCKET", server()}});
        Run result{process.wait(), process.err(), false};
        EXPECT_EQ(process.out(), "done\n") << process.err();
        pollfd asked{listener_.get(), POLLIN, 0};
        result.connected = poll(&asked, 1, 0) == 1;
        return result;
    }

private:
    test::TemporaryDirectory folder_;
    base::UniqueFd listener_;
};

TEST_F(SecureProgram, WithoutTheBitTheVariablesCount) {
    ASSERT_EQ(chmod(program().c_str(), 0755), 0);
    const Run done = run();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(access(log().c_str(), F_OK), 0) << done.err;
    std::ifstream file(log());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("XSCHED_AUTO_XQUEUE_PRIORITY=nonsense"), std::string::npos) << text;
    EXPECT_TRUE(done.connected) << text;
}

TEST_F(SecureProgram, WithTheBitNoneDoes) {
    ASSERT_EQ(chmod(program().c_str(), 04755), 0);
    const Run done = run();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_NE(access(log().c_str(), F_OK), 0) << "root's file was written";
    EXPECT_NE(done.err.find("WARN"), std::string::npos) << "the log goes to standard error";
    EXPECT_EQ(done.err.find("nonsense"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("DEBG"), std::string::npos) << done.err;
    EXPECT_FALSE(done.connected) << done.err;
}

}  // namespace
