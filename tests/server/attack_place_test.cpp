// A socket in a directory where others may make files, and those who were there first.
#include <sys/file.h>
#include <sys/un.h>

#include "server/hostile.h"

namespace xsched::test {
namespace {

class PlaceAttack : public ::testing::Test {
protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
        chmod(directory.path().c_str(), 01777);
    }
    PrivateDirectory directory;
};

TEST_F(PlaceAttack, ALockFileMadeFirst) {
    const std::string lock = directory.socket() + ".lock";
    Attacker attacker(kAttackerUid, [&lock] {
        const int fd = open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;  // of the kind that the server takes
    });
    ASSERT_TRUE(attacker.ready());
    ServerProcess server(directory, {"--system"});
    ASSERT_TRUE(server.ready()) << server.process().err();
    // And the lock does what it is for.
    ServerProcess second(directory, {"--system"});
    EXPECT_EQ(second.process().wait(), 2);
    EXPECT_NE(second.process().err().find("serves"), std::string::npos) << second.process().err();
    EXPECT_EQ(server.stop(), 0);
}

TEST_F(PlaceAttack, ASocketMadeFirst) {
    const std::string path = directory.socket();
    ASSERT_EQ(as_user(kVictimUid,
                      [&path] {
                          const base::UniqueFd socket_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
                          sockaddr_un address{};
                          address.sun_family = AF_UNIX;
                          strcpy(address.sun_path, path.c_str());
                          return bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 ? 0
                                                                                                                    : 1;
                      }),
              0);
    // Root may remove it; another user may not, and says so.
    const std::string server = binary("xserver");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(ends[1], STDERR_FILENO);
        if (!become(kAttackerUid)) _exit(100);
        unsetenv("XDG_RUNTIME_DIR");
        execl(server.c_str(), server.c_str(), "--socket", path.c_str(), nullptr);
        _exit(99);
    }
    close(ends[1]);
    std::string text;
    char part[512];
    for (ssize_t bytes = 0; (bytes = read(ends[0], part, sizeof(part))) > 0;) text.append(part, bytes);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 2) << text;
    EXPECT_NE(text.find("is a socket of uid " + std::to_string(kVictimUid)), std::string::npos) << text;
    ServerProcess root(directory, {"--system"});
    EXPECT_TRUE(root.ready()) << root.process().err();
}

}  // namespace
}  // namespace xsched::test
