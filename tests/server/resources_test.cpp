// A server that gets less of the system than it asks for: limits of processes and of control groups. It serves or
// refuses, and never ends.
#include <sys/resource.h>

#include <fstream>
#include <memory>
#include <vector>

#include "server/hostile.h"

namespace xsched::test {
namespace {

class Resources : public WithServer {
protected:
    void SetUp() override {}
    // Starts a server as a child of a shell that has set this limit.
    void start_with(const std::string& limit) {
        const std::string words = limit + "; exec " + binary("xserver") + " --no-supervise --socket " + socket();
        process =
            std::make_unique<Process>(std::vector<std::string>{"/bin/bash", "-c", words}, directory.environment());
        ASSERT_TRUE(process->wait_for_output("listening on")) << limit << process->err();
    }
    bool answers() { return answer_of_server(socket(), {{"cmd", "status"}}).value("ok", false); }
    ipc::WelcomeStatus status_of_client() {
        const base::UniqueFd connection(ipc::connect_path(socket().c_str()));
        ipc::Welcome welcome{};
        int fd = -1;
        const bool told = connection && ipc::shake_hands(connection.get(), ipc::PeerKind::kClient, "test", &welcome,
                                                         &fd, kPatienceMs);
        const base::UniqueFd memory(fd);
        return told ? welcome.status : ipc::WelcomeStatus::kBadHello;
    }
    size_t lines_with(const std::string& text) {
        size_t count = 0;
        for (size_t at = process->err().find(text); at != std::string::npos; at = process->err().find(text, at + 1))
            ++count;
        return count;
    }
    // Connects clients until the server refuses one, or until `kept` has `most`. Returns how many are connected.
    size_t most_clients(std::vector<base::UniqueFd>& kept, size_t most) {
        while (kept.size() < most) {
            base::UniqueFd client = raw_client(socket());
            if (!client) break;
            kept.push_back(std::move(client));
        }
        return kept.size();
    }

    std::unique_ptr<Process> process;
};

TEST_F(Resources, AServerThatMayWriteNoLargeFilesRefusesClients) {
    start_with("ulimit -f 100");
    for (size_t i = 1; i <= 3; ++i) {
        EXPECT_EQ(status_of_client(), ipc::WelcomeStatus::kNoMemory) << process->err();
        EXPECT_TRUE(answers());
        EXPECT_TRUE(eventually([&] { return lines_with("cannot be served: shared memory: File too large") == i; }))
            << process->err();
    }
}

TEST_F(Resources, ASoftLimitOfFilesIsRaised) {
    start_with("ulimit -S -f 100; ulimit -S -n 32");
    std::vector<base::UniqueFd> clients;
    EXPECT_EQ(most_clients(clients, 40), 40U) << process->err();
}

TEST_F(Resources, SignalsAboutLimitsEndNothing) {
    start_with("ulimit -c 0");
    for (const int number : {SIGXFSZ, SIGXCPU, SIGPIPE}) {
        ASSERT_EQ(kill(process->pid(), number), 0);
        EXPECT_TRUE(answers()) << strsignal(number);
    }
    EXPECT_TRUE(raw_client(socket()));
}

TEST_F(Resources, LittleOfAnythingServesAFew) {
    std::vector<std::string> limits{"ulimit -n 40", "ulimit -s 256", "ulimit -l 0", "ulimit -i 0"};
    if (kSlower == 1) limits.emplace_back("ulimit -v 110000");  // the sanitizers need terabytes
    for (const std::string& limit : limits) {
        start_with(limit);
        std::vector<base::UniqueFd> clients;
        EXPECT_GE(most_clients(clients, 40), 3U) << limit << process->err();
        clients.clear();
        EXPECT_TRUE(eventually([&] { return answers(); })) << limit << process->err();
        EXPECT_TRUE(eventually([&] { return client_count() == 0; })) << limit;
        EXPECT_TRUE(raw_client(socket())) << limit;
        kill(process->pid(), SIGTERM);
        EXPECT_EQ(process->wait(), 0) << limit;
    }
}

TEST_F(Resources, AServerWithoutAThreadSaysSoAndEnds) {
    NEEDS_ROOT("to become another user");
    ASSERT_EQ(chown(directory.path().c_str(), kNobody, kNobody), 0);
    Process none(
        nobody_runs({"/usr/bin/prlimit", "--nproc=1:1", binary("xserver"), "--no-supervise", "--socket", socket()}),
        directory.environment());
    EXPECT_EQ(none.wait(), 2);
    EXPECT_NE(none.err().find("no thread can be started for scheduling"), std::string::npos) << none.err();
}

// A memory control group (version 1 or 2) with a limit, in which a server is started.
class MemoryGroup {
public:
    explicit MemoryGroup(int64_t bytes) {
        const std::string name = "/xsched-test-" + std::to_string(getpid());
        for (const auto& [mount, file] : {std::pair{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes"},
                                          std::pair{"/sys/fs/cgroup", "/memory.max"}}) {
            folder_ = mount + name;
            if (mkdir(folder_.c_str(), 0755) != 0) continue;
            std::ofstream limit(folder_ + file);
            if (limit << bytes << std::flush) return;
            rmdir(folder_.c_str());
        }
        folder_.clear();
    }
    ~MemoryGroup() {
        if (!folder_.empty()) eventually([this] { return rmdir(folder_.c_str()) == 0; });
    }
    bool made() const { return !folder_.empty(); }
    std::string join() const { return "echo $$ > " + folder_ + "/cgroup.procs"; }

private:
    std::string folder_;
};

TEST_F(Resources, AControlGroupOf64MiBIsNeverFull) {
    NEEDS_ROOT("to become another user, and to make a control group");
    if (XSCHED_SLOWER > 1) GTEST_SKIP() << "a sanitizer takes more memory than that";
    const MemoryGroup group(64 << 20);
    if (!group.made()) GTEST_SKIP() << "no memory control group can be made here";
    chmod(directory.path().c_str(), 0755);
    const std::string words =
        group.join() + "; exec " + binary("xserver") + " --system --no-supervise --socket " + socket();
    process = std::make_unique<Process>(std::vector<std::string>{"/bin/bash", "-c", words}, directory.environment());
    ASSERT_TRUE(process->wait_for_output("listening on")) << process->err();
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&path] {
        static std::vector<std::unique_ptr<TestClient>> kept;
        for (int i = 0; i < 300; ++i) {
            auto client = std::make_unique<TestClient>();
            if (!client->connect(path)) continue;
            for (unsigned at = 0; at < ipc::kMostQueues; ++at) client->add_queue(at, 0, at + 1);
            kept.push_back(std::move(client));
        }
        return kept.size() > 15;
    });
    EXPECT_TRUE(attacker.ready()) << process->err();
    EXPECT_TRUE(answers()) << "it lives, and root has room: " << process->err();
    TestClient root(socket());
    EXPECT_TRUE(root.connected());
    const Json limits = TestTool(socket()).ask({{"cmd", "limits"}});
    EXPECT_EQ(limits["group"]["memory_bytes"], 64 << 20) << limits;
    kill(process->pid(), SIGTERM);
    EXPECT_EQ(process->wait(), 0) << "nothing else has ended it: " << process->err();
}

}  // namespace
}  // namespace xsched::test
