// Policies that are not of the build, in a server: from a library, from a line, and one that crashes. And what tools
// are told of shares.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ipc/slot_hints.h"
#include "server/thread/cpu_priority.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

class OwnPolicy : public WithServer {
protected:
    void SetUp() override {}
    Json ask(const Json& request) { return answer_of_server(socket(), request); }
    std::string policy() { return ask({{"cmd", "policy"}}).value("policy", ""); }
    static void begin_with_share(TestClient& client, uint32_t percent) {
        client.add_queue(0, 0, 0x1);
        client.slot(0).share = percent;
        client.submit(0);
    }
};

// A server uses a policy from a library and can change it. The decisions of such policies are tested in
// loaded_policy_test.cpp: here the clients are one process, whose queues run together.
TEST_F(OwnPolicy, OneFromALibraryIsUsedAndCanBeChanged) {
    start({"--policy", XSCHED_FIRST_COME});
    EXPECT_EQ(policy(), "FIRST_COME");
    EXPECT_EQ(ask({{"cmd", "policy"}, {"name", "HPF"}}).value("policy", ""), "HPF");
    EXPECT_EQ(ask({{"cmd", "policy"}, {"name", "first_come"}}).value("policy", ""), "FIRST_COME");
}

TEST_F(OwnPolicy, SoIsOneWithStateInCpp) {
    start({"--policy", XSCHED_ROUND_ROBIN});
    EXPECT_EQ(policy(), "ROUND_ROBIN");
    TestClient client(socket(), "client");
    client.add_queue(0, 0, 0x1);
    client.submit(0);
    EXPECT_EQ(ask({{"cmd", "list"}}).value("policy", ""), "ROUND_ROBIN");
}

TEST_F(OwnPolicy, OneFromALineDoes) {
    start({"--policy-expr", "priority asc"});
    EXPECT_EQ(policy(), "EXPR");
    LowAndHigh clients(socket());
    ASSERT_TRUE(clients.connected());
    clients.submit();
    EXPECT_TRUE(clients.high.becomes_suspended(0, true));
}

TEST_F(OwnPolicy, WhatCannotBeUsedKeepsTheServerFromStarting) {
    const std::vector<std::vector<std::string>> wrong{{"--policy", "./none.so"}, {"--policy-expr", "colour asc"}};
    for (const auto& words : wrong) {
        for (const bool supervised : {false, true}) {
            std::vector<std::string> all{binary("xserver"), "--socket", socket(), words[0], words[1]};
            if (!supervised) all.emplace_back("--no-supervise");
            Process process(all, directory.environment());
            EXPECT_EQ(process.wait(), 2) << words[1];
            EXPECT_NE(process.err().find("xserver: "), std::string::npos) << process.err();
            EXPECT_EQ((process.out() + process.err()).find("listening"), std::string::npos) << process.out();
        }
    }
}

// A crash cannot be caught in the process: the next server leaves the policy out.
TEST_F(OwnPolicy, AServerThatEndsInItHasASuccessorWithoutIt) {
    Process supervisor({binary("xserver"), "--socket", socket(), "--policy", XSCHED_CRASHES}, directory.environment());
    ASSERT_TRUE(supervisor.wait_for_output("listening on")) << supervisor.err();
    ASSERT_TRUE(eventually([&] { return policy() == "CRASHES"; }));
    TestClient first(socket(), "first");
    first.add_queue(0, 0, 0x1);
    first.submit(0);
    EXPECT_TRUE(eventually([&] { return policy() == "HPF"; })) << supervisor.err();
    EXPECT_TRUE(eventually([&] {
        supervisor.take_output();
        return supervisor.err().find("ended in the policy of") != std::string::npos;
    })) << supervisor.err();
    kill(supervisor.pid(), SIGTERM);
    EXPECT_EQ(supervisor.wait(), 0);
}

TEST_F(OwnPolicy, ListSaysWhatAProgramGotOfItsShareAndWhyLess) {
    start({"HPF"});
    TestClient client(socket(), "client");
    begin_with_share(client, 30);
    Json queue;
    EXPECT_TRUE(eventually([&] {
        client.slot(0).busy_ns += base::kMicrosecond;
        const Json answer = ask({{"cmd", "list"}});
        queue = answer.value("queues", Json::array()).empty() ? Json::object() : answer["queues"][0];
        const Json got = queue.value("got_percent", Json::array());
        return got.size() == 3 && got[0].is_number() && got[0].get<double>() > 0;
    })) << queue.dump();
    EXPECT_EQ(queue.value("share", 0), 30);
    EXPECT_LT(queue["got_percent"][1].get<double>(), 100);
    if (queue["got_percent"][1].get<double>() < 29) {
        EXPECT_EQ(queue.value("why_less", ""), "policy HPF does not keep shares: use PUP or SPUP");
    }
}

// If all shares together are more than the device, each is told as the part that it comes to.
TEST_F(OwnPolicy, SharesOfMoreThanTheDeviceAreToldAsWhatTheyComeTo) {
    start({"PUP"});
    const pid_t other = fork();  // another program: the queues of one process have one share
    if (other == 0) {
        TestClient client(socket(), "other");
        begin_with_share(client, 80);
        pause();
        _exit(0);
    }
    TestClient client(socket(), "client");
    begin_with_share(client, 80);
    Json answer;
    EXPECT_TRUE(eventually([&] {
        client.slot(0).busy_ns += base::kMicrosecond;
        answer = ask({{"cmd", "programs"}, {"pid", getpid()}});
        if (answer.value("programs", Json::array()).empty()) return false;
        const Json& device = answer["programs"][0]["devices"][0];
        return device.value("share_worth", Json()) == 50 &&
               device.value("why_less", "").starts_with("all together ask for 160 percent, so that 80 counts as 50");
    })) << answer.dump();
    // A share that all programs of the user have together counts once, in place of the programs' own.
    ask({{"cmd", "limit"}, {"set", std::to_string(getuid()) + ":share=30"}});
    const auto told = [&] { return ask({{"cmd", "programs"}, {"pid", getpid()}})["programs"][0]; };
    EXPECT_EQ(told()["user_gets"], (Json{{"share", 30}, {"limit", 100}})) << told();
    EXPECT_EQ(told()["devices"][0]["share_worth"], 30) << told();
    ask({{"cmd", "policy"}, {"name", "HPF"}});
    EXPECT_TRUE(ask({{"cmd", "programs"}, {"pid", getpid()}})["programs"][0]["devices"][0]["share_worth"].is_null());
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
}

TEST_F(OwnPolicy, StatusAndListSayWhatThePolicyHoldsOfAProgram) {
    start({"AUTO"});
    TestClient client(socket(), "client");
    client.add_queue(0, 0, 0x1);
    client.submit(0);
    std::string says;
    EXPECT_TRUE(eventually([&] {
        const Json queues = ask({{"cmd", "list"}}).value("queues", Json::array());
        says = queues.empty() ? "" : queues[0].value("policy_says", "");
        return says.find("AUTO") == 0;
    })) << says;
    EXPECT_NE(ask({{"cmd", "status"}}).dump().find("; AUTO"), std::string::npos);
    ask({{"cmd", "policy"}, {"name", "HPF"}});
    EXPECT_TRUE(eventually([&] { return ask({{"cmd", "status"}}).dump().find("; AUTO") == std::string::npos; }));
}

TEST_F(OwnPolicy, WhoIsAskedForAgainForgetsNothing) {
    start({"AUTO"});
    TestClient client(socket(), "client");
    client.add_queue(0, 0, 0x1);
    ipc::store_hint(client.slot(0), base::HintId::slo_p99, 5000);
    TestClient other(socket(), "other");  // alone it would not be followed
    other.add_queue(0, 0, 0x1);
    client.submit(0);
    const auto burst_ends = [&] {
        client.complete(0);
        EXPECT_TRUE(eventually([&] { return ask({{"cmd", "status"}}).dump().find("runs") == std::string::npos; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // AUTO takes a pause of 1 ms for a rest
        client.submit(0);
    };
    const auto has_seen = [&](const char* bursts) {
        return eventually([&] { return ask({{"cmd", "status"}}).dump().find(bursts) != std::string::npos; });
    };
    EXPECT_TRUE(has_seen("AUTO has seen 0 of the 3"));
    burst_ends();
    EXPECT_TRUE(has_seen("AUTO has seen 1 of the 3"));
    ask({{"cmd", "policy"}, {"name", "auto"}});
    burst_ends();
    EXPECT_TRUE(has_seen("AUTO has seen 2 of the 3"));
}

TEST_F(OwnPolicy, ProgramsOfAUserWithAShareHaveItTogether) {
    start({"PUP", "--limit", std::to_string(getuid()) + ":device-limit=1"});
    TestClient client(socket(), "client");
    client.add_queue(0, 0, 0x1);
    client.submit(0);
    EXPECT_TRUE(eventually([&client] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (client.slot(0).suspended != 0) return true;
        client.slot(0).busy_ns += base::kSecond / 20;
        client.complete(0);
        client.submit(0);
        return false;
    })) << "it has had its limit";
}

TEST(CpuPriority, ItIsOfTheProcess) {
    EXPECT_EQ(server::cpu_priority_of(0), 0);
    EXPECT_EQ(server::cpu_priority_of(-1), 0);
    const int nice = std::min(getpriority(PRIO_PROCESS, 0) + 7, 19);
    const pid_t child = fork();
    if (child == 0) {
        setpriority(PRIO_PROCESS, 0, nice);
        pause();
        _exit(0);
    }
    EXPECT_TRUE(eventually([&] { return server::cpu_priority_of(child) == -nice; }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace xsched::test
