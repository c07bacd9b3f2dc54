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
    // As a shell with that limit starts one.
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
    // Clients until one is refused, or so many.
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
    if (kSlower == 1) limits.emplace_back("ulimit -v 150000");  // the sanitizers need terabytes
    for (const std::string& limit : limits) {
        start_with(limit);
        std::vector<base::UniqueFd> clients;
        EXPECT_GE(most_clients(clients, 300), 3U) << limit << process->err();
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

}  // namespace
}  // namespace xsched::test
