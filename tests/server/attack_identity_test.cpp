// Numbers of processes that mean different ones in different pid namespaces.
#include <sched.h>

#include <optional>

#include "server/hostile.h"

namespace xsched::test {
namespace {

class IdentityAttack : public UnderAttack {
protected:
    // A client in a pid namespace of its own, where it is number 1, or says so.
    static std::function<bool()> namespaced(const std::string& path, uint64_t handle) {
        return [path, handle] {
            if (unshare(CLONE_NEWPID) != 0) return false;
            static std::optional<TestClient> client;
            static std::optional<Sitter> inner;
            inner.emplace([&] {
                client.emplace(path, "namespaced");
                if (!client->connected()) return false;
                client->add_queue(0, 0, handle);
                client->submit(0);
                return true;
            });
            return inner->ready();
        };
    }
    // Runs `body` in the pid namespace in which `keeper` has started the server.
    template <typename Body>
    static int in_server_namespace(pid_t keeper, Body body) {
        return in_child([&] {
            const std::string link = "/proc/" + std::to_string(keeper) + "/ns/pid_for_children";
            const base::UniqueFd space(open(link.c_str(), O_RDONLY | O_CLOEXEC));
            if (setns(space.get(), CLONE_NEWPID) != 0) return 98;
            const pid_t inner = fork();
            if (inner == 0) _exit(body());
            int status = 0;
            return waitpid(inner, &status, 0) == inner ? exit_status(status) : 97;
        });
    }
};

// A server in a pid namespace of its own sees pid 0 for clients outside of it, and two of them claim to have pid 1.
TEST_F(IdentityAttack, AServerInANamespaceOfItsOwn) {
    server->stop();
    server.reset();
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const std::string path = socket();
    const pid_t keeper = fork();
    if (keeper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(120);
        if (unshare(CLONE_NEWPID) != 0) _exit(1);
        const pid_t inner = fork();
        if (inner == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            const std::string program = binary("xserver");
            dup2(ends[1], STDOUT_FILENO);
            execl(program.c_str(), program.c_str(), "--system", "--socket", path.c_str(), nullptr);
            _exit(99);
        }
        waitpid(inner, nullptr, 0);
        _exit(0);
    }
    close(ends[1]);
    char first = 0;
    ASSERT_EQ(read(ends[0], &first, 1), 1) << "it must listen";
    const auto make = [&](uint64_t handle) { return std::make_unique<Attacker>(0, namespaced(path, handle)); };
    const auto one = make(0x71);
    const auto other = make(0x72);
    ASSERT_TRUE(one->ready() && other->ready());
    // A pid names a program only if a single process has it. The server notices a process's end even without its pid.
    TestClient mine(path, "mine");
    ASSERT_TRUE(mine.connected());
    mine.add_queue(0, 0, 0x73);
    const pid_t me = getpid();
    EXPECT_EQ(TestTool(path).ask({{"cmd", "list"}})["queues"].size(), 1U)
        << "its rights cannot be seen from the server's namespace: it sees its own";
    EXPECT_EQ(in_server_namespace(
                  keeper,
                  [&] {
                      TestTool tool(path);
                      const Json list = tool.ask({{"cmd", "list"}});
                      if (list["queues"].size() != 3 || list["queues"][0]["pid"] != 1 || list["queues"][1]["pid"] != 1)
                          return 1;
                      const Json refused = tool.ask({{"cmd", "suspend"}, {"pid", 1}});
                      if (refused.value("error", "").find("several processes say") == std::string::npos) return 2;
                      if (!tool.ask({{"cmd", "suspend"}, {"queue", 0x71}}).value("ok", false)) return 3;
                      return tool.ask({{"cmd", "hint"}, {"pid", me}, {"priority", 5}})["queues"] == 1 ? 0 : 4;
                  }),
              0);
    EXPECT_EQ(mine.slot(0).priority.load(), 5);
    kill(keeper, SIGKILL);
    waitpid(keeper, nullptr, 0);
    close(ends[0]);
}

// A client's own number counts only where the kernel says nothing.
TEST_F(IdentityAttack, AClaimedNumberDoesNotCount) {
    const std::string path = socket();
    const pid_t victim = getpid();
    Attacker attacker(kAttackerUid, [&] {
        static const base::UniqueFd connection(ipc::connect_path(path.c_str()));
        ipc::Hello hello = hello_of(ipc::PeerKind::kClient);
        hello.pid = victim;
        ipc::Welcome welcome{};
        int fd = -1;
        return ipc::send_packet(connection.get(), &hello, sizeof(hello)) &&
               ipc::receive_packet(connection.get(), &welcome, sizeof(welcome), &fd, kPatienceMs) > 0 &&
               ipc::say_mapped(connection.get(), welcome);
    });
    ASSERT_TRUE(attacker.ready());
    Json status;
    ASSERT_TRUE(eventually([&] {
        status = TestTool(path).ask({{"cmd", "status"}});
        return status["processes"].size() == 1;
    }));
    EXPECT_EQ(status["processes"][0]["pid"], attacker.pid());
}

}  // namespace
}  // namespace xsched::test
