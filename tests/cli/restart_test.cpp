// Tools in the moment in which a server has died: its supervisor starts a successor, and the programs come back.
#include <csignal>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Restarted : public WithCli {
protected:
    void SetUp() override {
        supervisor = std::make_unique<Process>(std::vector<std::string>{binary("xserver"), "--socket", socket()},
                                               directory.environment());
        ASSERT_TRUE(supervisor->wait_for_output("listening on")) << supervisor->err();
        ASSERT_TRUE(client.connect(socket(), "trainer"));
        client.add_queue(0, 3, 0xab1);
        ASSERT_EQ(xcli({"list", "--json"}).json()["queues"].size(), 1U);
    }
    void kill_server() {
        const pid_t pid = answer_of_server(socket(), {{"cmd", "server"}}).value("pid", 0);
        ASSERT_GT(pid, 0);
        ASSERT_EQ(kill(pid, SIGKILL), 0);
    }
    // Runs xcli while there is a successor and no program; the program comes back when the tool waits.
    Outcome xcli_meanwhile(const std::vector<std::string>& more) {
        std::vector<std::string> words{binary("xcli")};
        words.insert(words.end(), more.begin(), more.end());
        kill_server();
        Process tool(words, directory.environment());
        usleep(100'000);
        EXPECT_TRUE(client.connect(socket(), "trainer"));
        client.add_queue(0, 3, 0xab1);
        const int status = tool.wait();
        return {status, tool.out(), tool.err()};
    }

    std::unique_ptr<Process> supervisor;
    TestClient client;
};

TEST_F(Restarted, ToolsWaitForTheProgramsToComeBack) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"list"}, {"status"}, {"explain", "trainer"}, {"hint", "trainer", "-p", "5"}}) {
        const Outcome outcome = xcli_meanwhile(words);
        EXPECT_EQ(outcome.status, 0) << words[0] << outcome.err;
        EXPECT_TRUE(has(outcome.out, "trainer") || outcome.out == "hinted 1 queue\n") << words[0] << outcome.out;
    }
    EXPECT_FALSE(xcli({"list", "--json"}).json().contains("some_return"));
}

TEST_F(Restarted, ProgramsThatDoNotComeBackAreNotAwaitedForLong) {
    client.hang_up();
    kill_server();
    const int64_t begun_ns = base::now_ns();
    EXPECT_TRUE(has(xcli({"list"}).out, "no queue is scheduled"));
    EXPECT_LT(base::now_ns() - begun_ns, 4 * base::kSecond);
    EXPECT_EQ(answer_of_server(socket(), {{"cmd", "list"}}).value("some_return", false), false);
}

}  // namespace
}  // namespace xsched::test
