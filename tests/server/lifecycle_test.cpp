// A server's beginning and end, and what stays behind.
#include <fstream>
#include <sstream>

#include "support/http_by_hand.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

class Lifecycle : public WithServer {
protected:
    void SetUp() override {}
    // Starts a server that ends when it is idle for a very short time, and calls `reach`. If the server had ended
    // before, tries again with a longer time. Returns the time in seconds.
    template <typename Reach>
    double start_hasty(Reach reach) {
        for (double idle = 0.2; idle < 10; idle *= 3) {
            start({"--idle-exit", std::to_string(idle)});
            if (reach()) return idle;
            EXPECT_EQ(server->process().wait(), 0);
        }
        ADD_FAILURE() << "the server always left first";
        return 0;
    }
};

void sleep_seconds(double seconds) { usleep(static_cast<useconds_t>(seconds * 1e6)); }

TEST_F(Lifecycle, SigtermLeavesEverybodyResumed) {
    for (const int signal_number : {SIGTERM, SIGINT}) {
        start();
        LowAndHigh clients(socket());
        ASSERT_TRUE(clients.connected());
        auto& [low, high] = clients;
        ASSERT_TRUE(clients.compete());
        EXPECT_EQ(server->stop(signal_number), 0);
        EXPECT_EQ(low.slot(0).suspended.load(), 0U);
        EXPECT_EQ(low.slot(0).gate.load(), ipc::kGateOpen);
        EXPECT_EQ(low.header().detached.load(), 1U);
        EXPECT_EQ(high.header().detached.load(), 1U);
        char letter;
        EXPECT_EQ(ipc::receive_packet(low.socket(), &letter, 1, nullptr, kPatienceMs), 0) << "the lifeline must end";
        EXPECT_FALSE(exists(socket()));
    }
}

TEST_F(Lifecycle, SigtermAlsoEndsASleepingServer) {
    start();
    EXPECT_EQ(client_count(), 0);
    EXPECT_EQ(server->stop(), 0);
    EXPECT_FALSE(exists(socket()));
}

TEST_F(Lifecycle, LeavesWhenIdle) {
    start({"--idle-exit", "300ms"});
    EXPECT_EQ(server->process().wait(), 0);
    EXPECT_FALSE(exists(socket()));
}

TEST_F(Lifecycle, StaysWhileAClientIsThere) {
    {
        TestClient client;
        const double idle = start_hasty([&] { return client.connect(socket()); });
        sleep_seconds(3 * idle);
        EXPECT_EQ(client_count(), 1);
    }
    EXPECT_EQ(server->process().wait(), 0);
}

TEST_F(Lifecycle, StaysForAProgramThatIsExpected) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);  // the server does not get them
    pid_t child = -1;
    const double idle = start_hasty([&] {
        int told[2];
        if (pipe2(told, O_CLOEXEC) != 0) return false;
        child = fork();
        if (child == 0) {
            close(ends[1]);
            TestTool tool(socket());
            const Json answer = tool.accepted() ? tool.ask({{"cmd", "expect"}}) : Json{};
            const char accepted = answer.is_object() && answer.value("ok", false) ? 1 : 0;
            char letter;
            const bool said = write(told[1], &accepted, 1) == 1;
            if (accepted == 0 || !said || read(ends[0], &letter, 1) < 0) _exit(1);  // until the parent lets go
            _exit(0);
        }
        close(told[1]);
        const base::UniqueFd saying(told[0]);
        char accepted = 0;
        return read(saying.get(), &accepted, 1) == 1 && accepted == 1;
    });
    sleep_seconds(3 * idle);
    EXPECT_EQ(client_count(), 0) << "the server must still be here";
    close(ends[1]);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(server->process().wait(), 0);
}

TEST_F(Lifecycle, ASecondServerSaysSoAndLeavesTheFirstAlone) {
    start();
    TestClient client(socket());
    ServerProcess second(directory);
    EXPECT_EQ(second.process().wait(), 2);
    EXPECT_NE(second.process().err().find("another xserver (pid " + std::to_string(server->pid()) + ") serves"),
              std::string::npos)
        << second.process().err();
    ServerProcess on_demand(directory, {"--idle-exit", "5"});
    EXPECT_EQ(on_demand.process().wait(), 0);
    EXPECT_EQ(client_count(), 1);
    EXPECT_EQ(client.header().detached.load(), 0U);
}

TEST_F(Lifecycle, ManyStartedAtOnceLeaveOne) {
    std::vector<std::unique_ptr<ServerProcess>> servers;
    for (int i = 0; i < 5; ++i) servers.push_back(std::make_unique<ServerProcess>(directory));
    int serving = 0;
    for (auto& one : servers) serving += one->ready() ? 1 : 0;
    EXPECT_EQ(serving, 1);
    EXPECT_EQ(client_count(), 0);
}

TEST_F(Lifecycle, ANewServerTakesOverAfterAKill) {
    start();
    TestClient before(socket());
    EXPECT_EQ(server->stop(SIGKILL), 1000 + SIGKILL);
    char letter;
    EXPECT_EQ(ipc::receive_packet(before.socket(), &letter, 1, nullptr, kPatienceMs), 0);
    EXPECT_TRUE(exists(socket())) << "a killed server cannot clean up";
    start();
    TestClient after(socket());
    EXPECT_TRUE(after.connected());
    EXPECT_EQ(client_count(), 1);
}

TEST_F(Lifecycle, RestartsAtOnce) {
    for (int i = 0; i < 5; ++i) {
        start();
        TestClient client(socket());
        EXPECT_TRUE(client.connected());
        EXPECT_EQ(server->stop(), 0);
    }
}

// xserver POLICY PORT.
TEST_F(Lifecycle, ThePortOfTheOldCommandLineAsksForAToken) {
    int port = 0;
    {
        const base::UniqueFd any = listen_at_any_port(port);  // free, as far as one can know
    }
    const std::string file = socket() + ".token";
    std::ofstream(file) << "0123456789abcdef\n";
    start({"hpf", std::to_string(port)});
    const std::string request = "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    std::string answer;
    ASSERT_TRUE(eventually([&] {
        const base::UniqueFd connection = connect_port(port, false);
        answer = everything_after(connection.get(), request + "\r\n");
        return !answer.empty();
    })) << server->process().err();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 401")) << answer;
    struct stat info{};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    std::string token;
    std::ifstream(file) >> token;
    EXPECT_NE(token, "0123456789abcdef") << "no token is older than the server";
    answer = everything_after(connect_port(port).get(), request + "Authorization: Bearer " + token + "\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
    EXPECT_EQ(client_count(), 0);
    EXPECT_EQ(server->stop(), 0);
    EXPECT_TRUE(eventually([&] { return everything_after(connect_port(port, false).get(), request).empty(); }))
        << "it goes with the server";
    EXPECT_TRUE(eventually([&] { return access(file.c_str(), F_OK) != 0; })) << "and so does its token";
}

// The web page's port belongs to another program. The log must say so and give no address, and the server goes on
// without a page: otherwise a user could stop it by taking the port.
TEST_F(Lifecycle, APortThatIsTakenIsAnErrorInTheLog) {
    int port = 0;
    const base::UniqueFd taken = listen_at_any_port(port);
    ASSERT_EQ(listen(taken.get(), 1), 0);
    start({"hpf", std::to_string(port)});
    const std::string& log = server->process().err();
    const std::string sentence = "port " + std::to_string(port) + " is not served: cannot listen at 127.0.0.1:";
    EXPECT_NE(log.find(sentence), std::string::npos) << log;
    EXPECT_NE(log.find("another process listens there"), std::string::npos) << log;
    EXPECT_EQ(log.find("the page and the HTTP API are at"), std::string::npos) << log;
    EXPECT_NE(access((socket() + ".token").c_str(), F_OK), 0) << "no token is told";
    EXPECT_EQ(client_count(), 0) << "it serves";
}

struct BadStart {
    std::vector<std::string> words;
    const char* sentence;
};

TEST_F(Lifecycle, BadCommandLinesEndWithASentence) {
    const std::string plain_file = directory.path() + "/file";
    close(open(plain_file.c_str(), O_CREAT | O_WRONLY, 0600));
    const BadStart bad_starts[] = {
        {{"NOPE"}, "there is no policy \"NOPE\": use one of"},
        {{"PUPP"}, "there is no policy \"PUPP\" (did you mean \"PUP\"?): use one of"},
        {{"--policy", "PUPP"}, "(did you mean \"PUP\"?)"},
        {{"--polcy", "PUP"}, "xserver has no option --polcy (did you mean \"--policy\"?): see 'xserver --help'"},
        {{"--limit", "shar=3"}, "there is no limit \"shar\" (did you mean \"share\"?)"},
        {{"--share-unit", "cgrup"}, "there is no unit \"cgrup\" (did you mean \"cgroup\"?)"},
        {{"--idle-exit", "-3"}, "--idle-exit: -3 is not from 0 to 1000000"},
        {{"--idle-exit", "5 parsecs"},
         "--idle-exit: \"5 parsecs\" is not a number of seconds, or a time such as 500ms, from 0 to 1000000"},
        {{""}, "POLICY: the name of the policy is empty (is a variable not set?)"},
        {{"--socket", ""}, "--socket: the name of the socket is empty"},
        {{"--log-file", ""}, "--log-file: the name of the file is empty"},
        {{"--spin-us", "x"}, "--spin-us"},
        {{"--unknown"}, "--unknown"},
        {{"--policy-expr", ""}, "--policy-expr is empty (is a variable not set?)"},
        {{"UP", "--policy", "HPF"}, "UP and --policy HPF: name one"},
        {{"UP", "--policy-expr", "priority desc"}, "both policy UP and --policy-expr: leave out one of them"},
        {{"EXPR"}, "policy EXPR needs its order, which a server takes at its start: xserver --policy-expr 'priority"},
        {{"priority desc"}, "is an order, not a name, which a server takes at its start"},
        {{"mine.so"}, "\"mine.so\" is a library, which a server loads at its start: xserver ./mine.so"},
        {{"--foreground", "--background"}, "does not go together with"},
        {{"--socket", "/nowhere/at/all/x.sock"}, "cannot be used"},
        {{"--socket", plain_file}, "exists and is no socket"},
        {{"--socket", "/tmp/" + std::string(200, 'x')}, "longer than 107 bytes"},
    };
    for (const BadStart& bad : bad_starts) {
        std::vector<std::string> words{binary("xserver")};
        words.insert(words.end(), bad.words.begin(), bad.words.end());
        Process process(words, directory.environment());
        EXPECT_EQ(process.wait(), 2) << bad.sentence;
        EXPECT_NE(process.err().find(bad.sentence), std::string::npos) << process.err();
    }
}

TEST_F(Lifecycle, HelpFitsEightyColumns) {
    Environment environment = directory.environment();
    environment["COLUMNS"] = "80";
    Process process({binary("xserver"), "--help"}, environment);
    EXPECT_EQ(process.wait(), 0);
    std::istringstream help(process.out());
    size_t lines = 0;
    for (std::string line; std::getline(help, line); ++lines) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_GT(lines, 20u);
    EXPECT_NE(process.out().find("Usage: xserver"), std::string::npos) << "without the folder";
}

TEST_F(Lifecycle, RefusesADirectoryWhereOthersMayReplaceFiles) {
    const std::string open_directory = directory.path() + "/open";
    ASSERT_EQ(mkdir(open_directory.c_str(), 0700), 0);
    ASSERT_EQ(chmod(open_directory.c_str(), 0777), 0);
    Process process({binary("xserver"), "--socket", open_directory + "/x.sock"}, directory.environment());
    EXPECT_EQ(process.wait(), 2);
    EXPECT_NE(process.err().find("other users may replace files"), std::string::npos) << process.err();
}

TEST_F(Lifecycle, MakesItsDirectoryForItsUserAlone) {
    Environment environment = directory.environment();
    environment["XSCHED_SOCKET"] = "";
    Process process({binary("xserver")}, environment);
    ASSERT_TRUE(process.wait_for_output("listening on " + directory.path() + "/xsched/xserver.sock")) << process.err();
    struct stat info{};
    ASSERT_EQ(stat((directory.path() + "/xsched").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    ASSERT_EQ(stat((directory.path() + "/xsched/xserver.sock").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    kill(process.pid(), SIGTERM);
    EXPECT_EQ(process.wait(), 0);
}

TEST_F(Lifecycle, SaysOnceThatItListensAndHowItIsEnded) {
    start({"--idle-exit", "300"});
    const std::string pid = std::to_string(server->process().pid());
    const std::string said = server->process().out() + server->process().err();
    const std::string sentence = "xserver: listening on " + socket() + " with policy HPF; Ctrl-C or 'kill " + pid +
                                 "' ends it, as do 300 s without a program or tool\n";
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
    EXPECT_EQ(said.find("listening on"), said.rfind("listening on")) << said;
    EXPECT_EQ(server->stop(), 0) << "SIGTERM";
}

TEST_F(Lifecycle, ASecondServerSaysWhatToDoAboutTheFirst) {
    start();
    Process second({binary("xserver"), "--socket", socket()}, directory.environment());
    EXPECT_EQ(second.wait(), 2);
    const std::string said = second.err();
    EXPECT_NE(said.find("xserver: another xserver (pid "), std::string::npos) << said;
    EXPECT_NE(said.find("xserver: stop that one first ('kill PID'), or choose another --socket\n"), std::string::npos)
        << said;
    Process on_demand({binary("xserver"), "--socket", socket(), "--idle-exit", "5"}, directory.environment());
    EXPECT_EQ(on_demand.wait(), 0) << "the one that serves will do";
    EXPECT_EQ(on_demand.err().find("stop that one first"), std::string::npos) << on_demand.err();
}

TEST_F(Lifecycle, LogsToAFile) {
    const std::string log = directory.path() + "/server.log";
    start({"--log-file", log});
    EXPECT_EQ(server->stop(), 0);
    EXPECT_EQ(server->process().err(), "");
    std::string text(1 << 16, '\0');
    const base::UniqueFd file(open(log.c_str(), O_RDONLY));
    const ssize_t bytes = read(file.get(), text.data(), text.size());
    ASSERT_GT(bytes, 0);
    EXPECT_NE(text.find("using policy HPF"), std::string::npos);
}

}  // namespace
}  // namespace xsched::test
