// Programs that run with more rights than their caller has: none of our variables counts there. With a real
// set-user-id copy of a program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "server/process.h"

namespace {

using namespace xsched;

constexpr uid_t kNobody = 65534;

class SecureProgram : public testing::Test {
protected:
    void SetUp() override {
#ifndef XSCHED_SECURE_PROGRAM
        GTEST_SKIP() << "a sanitized library has no set-user-id programs";
#else
        if (geteuid() != 0) GTEST_SKIP() << "needs root to make a set-user-id program and to become another user";
        ASSERT_NE(mkdtemp(folder_), nullptr);
        struct statvfs info {};
        ASSERT_EQ(statvfs(folder_, &info), 0);
        if ((info.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << folder_ << " is mounted nosuid";
        ASSERT_EQ(chown(folder_, 0, kNobody), 0);
        ASSERT_EQ(chmod(folder_, 0770), 0);  // for root and that user alone
        std::ofstream(program(), std::ios::binary) << std::ifstream(XSCHED_SECURE_PROGRAM, std::ios::binary).rdbuf();
        listen_on(folder_ + std::string("/server"));
#endif
    }
    void TearDown() override {
        for (const char* file : {"/program", "/server", "/log"}) unlink((folder_ + std::string(file)).c_str());
        rmdir(folder_);
    }

    std::string program() const { return folder_ + std::string("/program"); }
    std::string log() const { return folder_ + std::string("/log"); }

    struct Run {
        int status;
        std::string err;
        bool connected;  // to the server that XSCHED_SOCKET names
    };
    // As nobody, with variables that would be obeyed.
    Run run() {
        const std::string as_nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
        test::Process process({"/bin/sh", "-c", "exec " + as_nobody + program()},
                              {{"XLOG_FILE", log()},
                               {"XLOG_LEVEL", "DEBG"},
                               {"XSCHED_AUTO_XQUEUE_PRIORITY", "nonsense"},
                               {"XSCHED_SOCKET", folder_ + std::string("/server")}});
        Run result{process.wait(), process.err(), false};
        EXPECT_EQ(process.out(), "done\n") << process.err();
        pollfd asked{listener_.get(), POLLIN, 0};
        result.connected = poll(&asked, 1, 0) == 1;
        return result;
    }

private:
    void listen_on(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        listener_.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        ASSERT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        ASSERT_EQ(chmod(path.c_str(), 0777), 0);
        ASSERT_EQ(listen(listener_.get(), 8), 0);
    }

    char folder_[32] = "/tmp/xsched-secure-XXXXXX";
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
