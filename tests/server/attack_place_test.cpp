// A socket in a directory where others may make files, and those who were there first.
#include <sys/file.h>
#include <sys/un.h>

#include <fstream>

#include "server/hostile.h"
#include "support/http_by_hand.h"
#include "support/listener.h"

namespace xsched::test {
namespace {

class PlaceAttack : public ::testing::Test {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become other users");
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
    // A second server for the same socket is refused, because of the lock.
    ServerProcess second(directory, {"--system"});
    EXPECT_EQ(second.process().wait(), 2);
    EXPECT_NE(second.process().err().find("serves"), std::string::npos) << second.process().err();
    EXPECT_EQ(server.stop(), 0);
}

TEST_F(PlaceAttack, ASocketMadeFirst) {
    const std::string path = directory.socket();
    ASSERT_EQ(as_user(kVictimUid, [&path] { return listen_on(path) >= 0 ? 0 : 1; }), 0);
    // The socket of another user is in the way. Root's server removes it; a server of a third user may not, and says
    // so.
    Process other(nobody_runs({binary("xserver"), "--socket", path}), {{"XDG_RUNTIME_DIR", ""}});
    EXPECT_EQ(other.wait(), 2) << other.err();
    const std::string& text = other.err();
    EXPECT_NE(text.find("is a socket of uid " + std::to_string(kVictimUid)), std::string::npos) << text;
    ServerProcess root(directory, {"--system"});
    EXPECT_TRUE(root.ready()) << root.process().err();
}

// The token of a port of the page is told in a file beside the socket. A file that another user put there before counts
// for nothing: neither its content nor a link's goal.
TEST_F(PlaceAttack, ATokenMadeFirst) {
    const std::string own = directory / "own.token";
    const std::string link = directory / "link.token";
    const std::string target = directory / "target";
    const std::string known = "0123456789abcdef";
    std::ofstream(target) << "root's\n";
    ASSERT_EQ(as_user(kAttackerUid,
                      [&] {
                          const int fd = open(own.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
                          const bool made = fd >= 0 && write(fd, (known + "\n").c_str(), 17) == 17;
                          return made && symlink(target.c_str(), link.c_str()) == 0 ? 0 : 1;
                      }),
              0);
    for (const std::string& file : {own, link}) {
        Process web({binary("xcli"), "web", "--listen", "127.0.0.1:0", "--token-file", file}, directory.environment());
        ASSERT_TRUE(web.wait_for_output("(token: " + file)) << web.err();
        struct stat info{};
        ASSERT_EQ(lstat(file.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode, S_IFREG | 0600U) << file;
        EXPECT_EQ(info.st_uid, 0U) << file;
        const int port = std::stoi(web.out().substr(web.out().find("127.0.0.1:") + 10));
        const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + known;
        EXPECT_TRUE(everything_after(connect_port(port).get(), request + "\r\n\r\n").starts_with("HTTP/1.1 401"))
            << file;
    }
    std::string text;
    std::ifstream(target) >> text;
    EXPECT_EQ(text, "root's");
}

// Another user has created a file at the path of an ordinary user's token file, in a folder with the sticky bit (like
// /tmp). The ordinary user may not replace that file, so `xcli web` ends and says that it cannot write the token.
TEST_F(PlaceAttack, AStrangersTokenInTheWayOfAUser) {
    const std::string file = directory / "own.token";
    ASSERT_EQ(as_user(kVictimUid, [&] { return open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644) < 0 ? 1 : 0; }),
              0);
    Process web(nobody_runs({binary("xcli"), "web", "--listen", "127.0.0.1:0", "--token-file", file}),
                directory.environment());
    EXPECT_EQ(web.wait(), 2) << web.out();
    EXPECT_NE(web.err().find("cannot write a token into " + file + ": Operation not permitted"), std::string::npos)
        << web.err();
}

}  // namespace
}  // namespace xsched::test
