// Tools that ask too much, read too little or do not make sense, and what others notice.
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>

#include "server/hostile.h"

namespace xsched::test {
namespace {

class ToolAttack : public UnderAttack {};

TEST_F(ToolAttack, ListsOfThousandsOfQueues) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static std::vector<std::unique_ptr<TestClient>> clients;
        for (int i = 0; i < 10; ++i) {
            clients.push_back(std::make_unique<TestClient>(path));
            if (!clients.back()->connected()) return false;
            for (unsigned at = 0; at < ipc::kMostQueues; ++at) clients.back()->add_queue(at, 0, 0x1000 * i + at);
        }
        for (int i = 0; i < 4; ++i) {
            if (fork() != 0) continue;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            TestTool tool(path);
            for (int round = 0;; ++round) tool.ask({{"cmd", round % 2 == 0 ? "list" : "status"}});
        }
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_answers_after_little_work();
    expect_scheduling();
}

TEST_F(ToolAttack, AnswersThatNobodyReads) {
    const std::string path = socket();
    const int64_t before = resident_mib();
    Attacker attacker(kAttackerUid, [&] {
        static TestClient client(path);
        for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
        static std::vector<base::UniqueFd> deaf;
        const std::string request = R"({"cmd":"list"})";
        for (int i = 0; i < 60; ++i) {
            base::UniqueFd tool(ipc::connect_path(path.c_str()));
            ipc::Welcome welcome{};
            ipc::shake_hands(tool.get(), ipc::PeerKind::kTool, "deaf", &welcome, nullptr, kPatienceMs);
            for (int j = 0; j < 100; ++j) ipc::send_packet(tool.get(), request.data(), request.size());
            deaf.push_back(std::move(tool));
        }
        usleep(500'000);
        // Only one answer waits at each tool. It is a file in memory, of which a packet of some 30 bytes tells.
        return std::all_of(deaf.begin(), deaf.end(), [](const base::UniqueFd& tool) {
            int bytes = 0;
            return ioctl(tool.get(), FIONREAD, &bytes) == 0 && bytes < 200;
        });
    });
    EXPECT_TRUE(attacker.ready()) << "answers pile up";
    expect_answers();
    expect_scheduling();
    EXPECT_LE(resident_mib(), before + kSlower * 64);
}

// A long answer is a file in the server's memory, which counts until the tool asks again or goes; then it is empty,
// even for a process that holds it.
TEST_F(ToolAttack, LongAnswersThatAreKept) {
    TestClient client(socket());
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
    const std::string list = R"({"cmd":"list"})";
    base::UniqueFd tool(ipc::connect_path(socket().c_str()));
    ipc::Welcome welcome{};
    ASSERT_TRUE(ipc::shake_hands(tool.get(), ipc::PeerKind::kTool, "keeper", &welcome, nullptr, kPatienceMs));
    std::string packet(ipc::kMostPacketBytes, '\0');
    const auto ask = [&] {
        int file = -1;
        EXPECT_TRUE(ipc::send_packet(tool.get(), list.data(), list.size()));
        EXPECT_GT(ipc::receive_packet(tool.get(), packet.data(), packet.size(), &file, kPatienceMs), 0);
        return base::UniqueFd(file);
    };
    const auto bytes_of = [](const base::UniqueFd& file) {
        struct stat info{};
        return fstat(file.get(), &info) == 0 ? info.st_size : -1;
    };
    const auto counted = [this] {
        const Json answer = TestTool(socket()).ask({{"cmd", "limits"}});
        for (const Json& user : answer["users"])
            for (const Json& one : user["limits"])
                if (one["name"] == "answer-bytes" && one.value("used", int64_t{0}) > 60'000) return true;
        return false;
    };
    const base::UniqueFd first = ask();
    ASSERT_TRUE(first);
    EXPECT_GT(bytes_of(first), 60'000);
    EXPECT_TRUE(counted());
    EXPECT_NE(ftruncate(first.get(), 1 << 30), 0) << "nobody makes it larger";
    EXPECT_EQ(write(first.get(), "x", 1), -1);
    const base::UniqueFd second = ask();
    EXPECT_EQ(bytes_of(first), 0) << "by asking it says that it has read";
    EXPECT_GT(bytes_of(second), 60'000);
    tool.reset();
    EXPECT_TRUE(eventually([&] { return bytes_of(second) == 0; }));
    EXPECT_TRUE(eventually([&] { return !counted(); }));
}

TEST_F(ToolAttack, DeeplyNestedRequests) {
    TestTool tool(socket());
    for (const char* part : {"[", "{\"a\":", "[{\"b\":"}) {
        std::string text;
        while (text.size() < 32'000) text += part;
        const Json answer = tool.ask_text(text);
        EXPECT_EQ(answer.value("ok", true), false);
        EXPECT_NE(answer.value("error", "").find("nested more than 32 deep"), std::string::npos) << answer;
    }
    // Brackets within a text nest nothing.
    EXPECT_EQ(tool.ask({{"cmd", "server"}, {"note", std::string(100, '[') + "\"\\"}}).value("ok", false), true);
}

TEST_F(ToolAttack, RequestsAtRandom) {
    const std::string path = socket();
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          std::mt19937 random(20261122);
                          const std::string letters = R"({}[]",:0123456789.eE-+truefalsnl\cmdqueuepid )";
                          for (int i = 0; i < 2000; ++i) {
                              TestTool tool(path);
                              std::string text = i % 2 == 0 ? R"({"cmd":"list",)" : "";
                              for (unsigned j = 1 + random() % 200; j > 0; --j)
                                  text += letters[random() % letters.size()];
                              if (!tool.ask_text(text).is_object()) return 1;
                          }
                          return 0;
                      }),
              0);
    expect_answers();
}

TEST_F(ToolAttack, PacketsAtRandom) {
    const std::string path = socket();
    const size_t before = descriptors();
    as_user(kAttackerUid, [&] {
        std::mt19937 random(4711);
        for (int i = 0; i < 2000; ++i) {
            base::UniqueFd connection = i % 3 == 0 ? raw_client(path) : base::UniqueFd(ipc::connect_path(path.c_str()));
            std::string packet = i % 2 == 0 ? handover_packet() : std::string(random() % 300, '\0');
            for (unsigned j = 0; j < packet.size() && j < 40; j += 1 + random() % 8)
                packet[j] = static_cast<char>(random());
            if (i % 5 == 0)
                send_descriptors(connection.get(), packet.data(), packet.size(), {STDIN_FILENO, STDERR_FILENO});
            else
                ipc::send_packet(connection.get(), packet.data(), packet.size());
        }
        return 0;
    });
    expect_answers();
    expect_scheduling();
    EXPECT_TRUE(eventually([&] { return descriptors() <= before + 4; })) << descriptors();
}

// Extremes in shared memory reach the answers as numbers.
TEST_F(ToolAttack, ExtremesInSlots) {
    TestClient client(socket());
    client.add_queue(0, 0, 0x1);
    ipc::QueueSlot& slot = client.slot(0);
    for (const int64_t extreme : {INT64_MIN, INT64_MAX, int64_t{-1}}) {
        slot.expect_ns = extreme;
        slot.period_us = extreme;
        slot.command_ns = extreme;
        slot.busy_ns = extreme;
        slot.ready_since_ns = extreme;
        client.submit(0);
        const Json answer = TestTool(socket()).ask({{"cmd", "list"}});
        ASSERT_EQ(answer["queues"].size(), 1U) << answer;
        EXPECT_GE(answer["queues"][0]["expect_in_us"], 0);
    }
    expect_scheduling();
}

// A newcomer sends its hello while the server is stopped. Once the server goes on it must read the hello, instead of
// dropping the newcomer as silent.
TEST_F(ToolAttack, ANewcomerThatSpokeWhileTheServerWasBusy) {
    const base::UniqueFd connection(ipc::connect_path(socket().c_str()));
    ASSERT_TRUE(connection);
    ASSERT_TRUE(eventually([&] { return answer_ms(0) >= 0; })) << "it is accepted by now";
    kill(server->pid(), SIGSTOP);
    const ipc::Hello hello = hello_of(ipc::PeerKind::kClient);
    ASSERT_TRUE(ipc::send_packet(connection.get(), &hello, sizeof(hello)));
    usleep(1'500'000);
    kill(server->pid(), SIGCONT);
    ipc::Welcome welcome{};
    int fd = -1;
    ASSERT_EQ(ipc::receive_packet(connection.get(), &welcome, sizeof(welcome), &fd, kPatienceMs),
              static_cast<long>(sizeof(welcome)));
    EXPECT_EQ(welcome.status, ipc::WelcomeStatus::kAccepted);
    close(fd);
}

}  // namespace
}  // namespace xsched::test
