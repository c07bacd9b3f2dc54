// Where the socket is looked for, and whom a program talks to.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "ipc/protocol.h"
#include "ipc/user_namespace.h"
#include "support/containers.h"
#include "support/directory.h"
#include "support/environment.h"
#include "support/listener.h"
#include "support/own_mounts.h"
#include "support/users.h"

namespace xsched::ipc {
namespace {

// Sets the two variables by which sockets are found, for the length of a test.
class SocketPath : public ::testing::Test {
protected:
    static base::UniqueFd listen_on(const std::string& place, int backlog = 8) {
        base::UniqueFd fd(test::listen_on(place, backlog));
        EXPECT_TRUE(fd);
        return fd;
    }

    static std::string in_tmp() { return "/tmp/xsched-" + std::to_string(geteuid()) + "/xserver.sock"; }
    static std::vector<std::string> places() {
        char paths[kMostPlaces][kSocketPathBytes];
        const unsigned count = user_socket_places(paths);
        return {paths, paths + count};
    }
    // Does `body` where /run and /tmp are this test's own, which needs a namespace; its result, or -1.
    template <typename Body>
    static int in_a_world_of_its_own(Body body) {
        const int result = test::in_child([&] { return test::enter_own_run_and_tmp() ? body() : 100; });
        return result >= 100 ? -1 : result;
    }

    test::WithEnvironment unset{{{"XSCHED_SOCKET", ""}, {"XDG_RUNTIME_DIR", ""}}};
    test::TemporaryDirectory own_directory;
    const std::string directory = own_directory.path();
    char path[kSocketPathBytes] = {};
};

TEST_F(SocketPath, XschedSocketWins) {
    setenv("XSCHED_SOCKET", "/some/where.sock", 1);
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    ASSERT_TRUE(user_socket_path(path, false));
    EXPECT_STREQ(path, "/some/where.sock");
}

TEST_F(SocketPath, RuntimeDirectoryIsMadeOnlyWhenAsked) {
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    ASSERT_TRUE(user_socket_path(path, false));
    EXPECT_EQ(path, directory + "/xsched/xserver.sock");
    struct stat info{};
    EXPECT_NE(stat((directory + "/xsched").c_str(), &info), 0);
    ASSERT_TRUE(user_socket_path(path, true));
    ASSERT_EQ(stat((directory + "/xsched").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    EXPECT_TRUE(user_socket_path(path, true)) << "a second time";
}

TEST_F(SocketPath, WithoutARuntimeDirectoryItIsInTmp) {
    struct stat info{};
    const std::string login = "/run/user/" + std::to_string(geteuid());
    const bool has_login = stat(login.c_str(), &info) == 0 && info.st_uid == geteuid();
    const std::string expected = has_login ? login + "/xsched/xserver.sock" : in_tmp();
    user_socket_path(path, false);
    EXPECT_EQ(path, expected);
    for (const char* useless : {"", "relative", "/does/not/exist"}) {
        setenv("XDG_RUNTIME_DIR", useless, 1);
        user_socket_path(path, false);
        EXPECT_EQ(path, expected) << useless;
    }
}

// The list of places for the server's socket is the same for a shell, cron and a service, except for those in
// XDG_RUNTIME_DIR, which come first.
TEST_F(SocketPath, EveryEnvironmentHasTheSameLastPlaces) {
    const std::vector<std::string> without = places();
    EXPECT_EQ(without.back(), in_tmp());
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    std::vector<std::string> with = places();
    ASSERT_EQ(with.size(), without.size() + 1);
    EXPECT_EQ(with.front(), directory + "/xsched/xserver.sock");
    with.erase(with.begin());
    EXPECT_EQ(with, without);
}

TEST_F(SocketPath, TheLoginsDirectoryIsFoundWithoutBeingNamed) {
    const int result = in_a_world_of_its_own([] {
        const std::string login = "/run/user/" + std::to_string(geteuid());
        if (mkdir("/run/user", 0755) != 0 || mkdir(login.c_str(), 0700) != 0) return 1;
        const std::vector<std::string> unnamed = places();
        setenv("XDG_RUNTIME_DIR", login.c_str(), 1);
        const std::vector<std::string> named = places();
        const std::vector<std::string> expected{login + "/xsched/xserver.sock", in_tmp()};
        if (unnamed != expected || named != expected) return 2;
        setenv("XDG_RUNTIME_DIR", "/run/user/../user/0/", 1);  // the same by another name
        if (geteuid() == 0 && places().size() != 2) return 3;
        if (chown(login.c_str(), 65534, 65534) != 0) return 4;
        unsetenv("XDG_RUNTIME_DIR");
        return places() == std::vector<std::string>{in_tmp()} ? 0 : 5;
    });
    if (result < 0) GTEST_SKIP() << "no mount namespace can be made here";
    EXPECT_EQ(result, 0);
}

TEST_F(SocketPath, AServerAtAnyOfThePlacesIsFound) {
    const int result = in_a_world_of_its_own([this] {
        const std::string other = "/tmp/other";
        const std::string tmp = "/tmp/xsched-" + std::to_string(geteuid());
        if (mkdir(other.c_str(), 0700) != 0 || mkdir(tmp.c_str(), 0700) != 0) return 1;
        setenv("XDG_RUNTIME_DIR", other.c_str(), 1);
        if (base::UniqueFd(connect_server(path)) || errno != ENOENT) return 2;
        if (path != other + "/xsched/xserver.sock") return 3;  // where one would be
        const base::UniqueFd listener = listen_on(in_tmp());
        if (!base::UniqueFd(connect_server(path)) || path != in_tmp()) return 4;
        if (mkdir((other + "/xsched").c_str(), 0700) != 0) return 5;
        const base::UniqueFd nearer = listen_on(other + "/xsched/xserver.sock");
        if (!base::UniqueFd(connect_server(path)) || path != other + "/xsched/xserver.sock") return 6;
        setenv("XSCHED_SOCKET", "/tmp/nobody", 1);
        return base::UniqueFd(connect_server(path)) ? 7 : 0;  // who names one means that one
    });
    if (result < 0) GTEST_SKIP() << "no mount namespace can be made here";
    EXPECT_EQ(result, 0);
}

TEST_F(SocketPath, DirectoriesAreMadeUsableUnderAnyUmask) {
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    const mode_t mask = umask(0777);
    const bool made = user_socket_path(path, true);
    EXPECT_EQ(umask(mask), 0777U) << "the umask is somebody else's";
    EXPECT_TRUE(made);
    struct stat info{};
    ASSERT_EQ(stat((directory + "/xsched").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(SocketPath, ForeignRuntimeDirectoryIsNotUsed) {
    NEEDS_ROOT("to make a directory of another user");
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    ASSERT_EQ(chown(directory.c_str(), 65534, 65534), 0);
    user_socket_path(path, false);
    EXPECT_EQ(std::string(path).find(directory), std::string::npos);
}

TEST_F(SocketPath, DirectoriesOpenToOthersOrNotOursAreRefused) {
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    const std::string inner = directory + "/xsched";
    ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
    ASSERT_EQ(chmod(inner.c_str(), 0777), 0);
    EXPECT_FALSE(user_socket_path(path, false));
    ASSERT_EQ(rmdir(inner.c_str()), 0);
    ASSERT_EQ(symlink("/tmp", inner.c_str()), 0);
    EXPECT_FALSE(user_socket_path(path, true));
    ASSERT_EQ(unlink(inner.c_str()), 0);
    ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
    EXPECT_TRUE(user_socket_path(path, true));
    if (geteuid() != 0 || chown(inner.c_str(), 65534, 65534) != 0) return;
    EXPECT_FALSE(user_socket_path(path, true));
}

TEST_F(SocketPath, TooLongIsRefused) {
    setenv("XSCHED_SOCKET", ("/" + std::string(kSocketPathBytes, 'x')).c_str(), 1);
    EXPECT_FALSE(user_socket_path(path, false));
    EXPECT_EQ(connect_server(path), -1);
    setenv("XSCHED_SOCKET", ("/" + std::string(kSocketPathBytes - 2, 'x')).c_str(), 1);
    EXPECT_TRUE(user_socket_path(path, false));
    EXPECT_EQ(connect_path(std::string(500, 'x').c_str()), -1);
    EXPECT_EQ(errno, ENAMETOOLONG);
}

TEST_F(SocketPath, ConnectsToAListener) {
    const std::string place = directory + "/s";
    const base::UniqueFd listener = listen_on(place);
    setenv("XSCHED_SOCKET", place.c_str(), 1);
    const base::UniqueFd connection(connect_server(path));
    EXPECT_TRUE(connection);
    EXPECT_EQ(path, place);
}

TEST_F(SocketPath, NobodyThereIsAnErrnoOnly) {
    const std::string place = directory + "/s";
    EXPECT_EQ(connect_path(place.c_str()), -1);
    EXPECT_EQ(errno, ENOENT);
    listen_on(place).reset();
    EXPECT_EQ(connect_path(place.c_str()), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
}

// If a server accepts no connection and its queue of waiting connections is full, the client gives up after a while.
TEST_F(SocketPath, AServerThatDoesNotAcceptHangsNobody) {
    const std::string place = directory + "/s";
    const base::UniqueFd listener = listen_on(place, 0);
    std::vector<base::UniqueFd> queued;
    for (int i = 0; i < 10; ++i) {
        queued.emplace_back(connect_path(place.c_str()));
        if (!queued.back()) break;
    }
    EXPECT_FALSE(queued.back());
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(SocketPath, AnotherUsersServerIsNotUsed) {
    NEEDS_ROOT("to become another user");
    ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
    const std::string place = directory + "/s";
    const test::Sitter other([&] { return test::become(test::kNobody) && listen_on(place).release() >= 0; });
    ASSERT_TRUE(other.ready());
    EXPECT_EQ(connect_path(place.c_str()), -1);
    EXPECT_EQ(errno, EPERM);
    setenv("XSCHED_SOCKET", place.c_str(), 1);
    EXPECT_EQ(connect_server(path), -1);
}

// In a rootless container root has no number, and root's server appears as an unmapped user's. It is used
// nevertheless if root's socket was mounted into the container.
TEST_F(SocketPath, RootsServerIsUsedWhereRootHasNoNumber) {
    NEEDS_ROOT("to be root's server");
    const std::string place = directory + "/x.sock";
    const base::UniqueFd listener = listen_on(place);
    chmod(place.c_str(), 0666);
    const auto result_of = [&place](mode_t mode, const std::string& folder) {
        chmod(folder.c_str(), mode);
        return test::as_nobody([&place] {
            if (!test::enter_user_namespace()) return 90;
            const base::UniqueFd fd(connect_path(place.c_str()));
            return fd ? 0 : errno;
        });
    };
    const int result = result_of(0755, directory);
    if (result == 90) GTEST_SKIP() << "users may not make user namespaces here";
    EXPECT_EQ(result, 0);
    EXPECT_EQ(result_of(0777, directory), EPERM) << "anybody may have put it there";
    EXPECT_EQ(result_of(01777, directory), EPERM);
}

// podman's user namespaces map 65,536 users. One of them has the id 65534, which also stands for users that are not
// mapped, such as the host's root.
TEST_F(SocketPath, RootsServerIsUsedWhereItIsMounted) {
    NEEDS_ROOT("to map many users");
    const std::string place = directory + "/x.sock";
    const base::UniqueFd listener = listen_on(place);
    chmod(place.c_str(), 0666);
    chmod(directory.c_str(), 0755);
    const auto result_where = [&](bool mounted) {
        int ready[2];
        int mapped[2];
        if (pipe(ready) != 0 || pipe(mapped) != 0) return 91;
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            const bool apart = unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
            if (!apart || (mounted && mount(directory.c_str(), directory.c_str(), nullptr, MS_BIND, nullptr) != 0))
                _exit(90);
            char go = 0;
            if (!test::become(test::kNobody) || unshare(CLONE_NEWUSER) != 0 || write(ready[1], "r", 1) != 1 ||
                read(mapped[0], &go, 1) != 1)
                _exit(90);
            if (unmapped_uid() != kNoUid) _exit(92);
            const base::UniqueFd fd(connect_path(place.c_str()));
            _exit(fd ? 0 : errno);
        }
        close(ready[1]);  // so that the end of the child ends the wait
        char go = 0;
        if (read(ready[0], &go, 1) == 1) {
            std::ofstream("/proc/" + std::to_string(child) + "/uid_map")
                << "0 " << test::kNobody << " 1\n1 100000 65536\n";
            if (write(mapped[1], "m", 1) != 1) return 91;
        }
        int status = 0;
        waitpid(child, &status, 0);
        return test::exit_status(status);
    };
    const int result = result_where(true);
    if (result == 90) GTEST_SKIP() << "no user namespace or mount can be made here";
    EXPECT_EQ(result, 0);
    EXPECT_EQ(result_where(false), EPERM) << "a user of the container may have put it there";
}

TEST_F(SocketPath, TheNumberOfAllWhoHaveNoneIsNobodys) {
    NEEDS_ROOT("to become another user");
    const std::string place = directory + "/x.sock";
    chown(directory.c_str(), test::kNobody, test::kNobody);
    EXPECT_EQ(unmapped_uid(), kNoUid) << "everybody has one here";
    const int result = test::as_nobody([&place] {
        const base::UniqueFd listener = listen_on(place);
        if (!listener || !is_own_uid(test::kNobody)) return 1;
        if (unshare(CLONE_NEWUSER) != 0) return 90;
        if (geteuid() != unmapped_uid() || is_own_uid(geteuid())) return 2;
        const base::UniqueFd fd(connect_path(place.c_str()));
        return fd ? 3 : errno;
    });
    if (result == 90) GTEST_SKIP() << "users may not make user namespaces here";
    EXPECT_EQ(result, EPERM) << "one of our own, but nothing shows that";
}

TEST_F(SocketPath, NoPermissionIsTold) {
    NEEDS_ROOT("to become another user");
    const std::string place = directory + "/s";
    const base::UniqueFd listener = listen_on(place);
    ASSERT_EQ(chmod(directory.c_str(), 0700), 0);
    EXPECT_EQ(test::as_nobody([&] { return connect_path(place.c_str()) == -1 && errno == EACCES ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace xsched::ipc
