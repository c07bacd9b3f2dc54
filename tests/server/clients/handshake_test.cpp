// Newcomers that are let in, and the answers to the others.
#include "support/eventually.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

class Handshake : public WithServer {
protected:
    // Sends `bytes` of `hello` raw and returns the refusal.
    ipc::WelcomeStatus answer_to(const void* hello, size_t bytes) {
        const base::UniqueFd connection(ipc::connect_path(socket().c_str()));
        EXPECT_TRUE(ipc::send_packet(connection.get(), hello, bytes));
        ipc::Welcome welcome{};
        EXPECT_EQ(ipc::receive_packet(connection.get(), &welcome, sizeof(welcome), nullptr, kPatienceMs),
                  static_cast<long>(sizeof(welcome)));
        char more;
        EXPECT_EQ(ipc::receive_packet(connection.get(), &more, 1, nullptr, kPatienceMs), 0) << "must be closed";
        return welcome.status;
    }
    static ipc::Hello good_hello() {
        return {ipc::kMagic, ipc::kVersion, sizeof(ipc::Hello), ipc::PeerKind::kClient, "test", getpid()};
    }
};

TEST_F(Handshake, GoodHelloGetsARegion) {
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.welcome().server_pid, server->pid());
    EXPECT_EQ(client.header().server_pid, server->pid());
    EXPECT_EQ(client.header().client_id, client.welcome().client_id);
    EXPECT_EQ(client.header().detached.load(), 0U);
    EXPECT_EQ(client_count(), 1);
}

TEST_F(Handshake, RegionsCannotChangeSize) {
    const base::UniqueFd connection(ipc::connect_path(socket().c_str()));
    ipc::Welcome welcome{};
    int fd = -1;
    ASSERT_TRUE(ipc::shake_hands(connection.get(), ipc::PeerKind::kClient, "test", &welcome, &fd, kPatienceMs));
    const base::UniqueFd memory(fd);
    ASSERT_TRUE(memory);
    EXPECT_NE(ftruncate(fd, 0), 0);
    EXPECT_NE(ftruncate(fd, 1 << 24), 0);
}

TEST_F(Handshake, EachClientHasItsOwnMemory) {
    TestClient first(socket());
    TestClient second(socket());
    ASSERT_TRUE(first.connected() && second.connected());
    EXPECT_NE(first.welcome().client_id, second.welcome().client_id);
    first.slot(0).handle = 17;
    EXPECT_EQ(second.slot(0).handle.load(), 0U);
}

TEST_F(Handshake, WrongVersionIsTold) {
    ipc::Hello hello = good_hello();
    hello.version = ipc::kVersion + 1;
    EXPECT_EQ(answer_to(&hello, sizeof(hello)), ipc::WelcomeStatus::kWrongVersion);
    EXPECT_EQ(client_count(), 0);
}

TEST_F(Handshake, WrongVersionOfAnotherSizeIsToldToo) {
    const uint32_t hello[4] = {ipc::kMagic, ipc::kVersion + 7, sizeof(hello), 1};
    EXPECT_EQ(answer_to(hello, sizeof(hello)), ipc::WelcomeStatus::kWrongVersion);
}

TEST_F(Handshake, WrongMagicShortAndLongHellosAreBad) {
    ipc::Hello hello = good_hello();
    hello.magic ^= 1;
    EXPECT_EQ(answer_to(&hello, sizeof(hello)), ipc::WelcomeStatus::kBadHello);
    hello = good_hello();
    EXPECT_EQ(answer_to(&hello, 5), ipc::WelcomeStatus::kBadHello);
    EXPECT_EQ(answer_to(&hello, sizeof(hello) - 1), ipc::WelcomeStatus::kBadHello);
    const std::string lots(1000, 'x');
    EXPECT_EQ(answer_to(lots.data(), lots.size()), ipc::WelcomeStatus::kBadHello);
    hello.kind = static_cast<ipc::PeerKind>(9);
    EXPECT_EQ(answer_to(&hello, sizeof(hello)), ipc::WelcomeStatus::kBadHello);
    TestClient client(socket());
    EXPECT_TRUE(client.connected());
}

TEST_F(Handshake, SilentNewcomersAreDroppedAndBlockNobody) {
    std::vector<base::UniqueFd> silent;
    for (int i = 0; i < 20; ++i) silent.emplace_back(ipc::connect_path(socket().c_str()));
    TestClient client(socket());  // while they are silent
    EXPECT_TRUE(client.connected());
    for (const base::UniqueFd& connection : silent) {
        char letter;
        EXPECT_EQ(ipc::receive_packet(connection.get(), &letter, 1, nullptr, kPatienceMs), 0) << "must be closed";
    }
    EXPECT_EQ(client_count(), 1);
}

TEST_F(Handshake, UnprintableNamesAreShownHarmlessly) {
    TestClient client(socket(), "evil\033[2J\xff");
    ASSERT_TRUE(client.connected());
    const Json answer = TestTool(socket()).ask({{"cmd", "status"}});
    ASSERT_EQ(answer["processes"].size(), 1U) << answer;
    EXPECT_EQ(answer["processes"][0]["program"], "evil?[2J?");
    EXPECT_EQ(answer["processes"][0]["pid"], getpid());
}

TEST_F(Handshake, AClientThatTalksIsLetGo) {
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    ASSERT_TRUE(ipc::send_packet(client.socket(), "hello?", 6));
    EXPECT_TRUE(eventually([&] { return client.header().detached.load() != 0; }));
    EXPECT_TRUE(eventually([&] { return client_count() == 0; }));
}

TEST_F(Handshake, AUserServerRefusesOtherUsers) {
    NEEDS_ROOT("to become another user");
    chmod(directory.path().c_str(), 0755);
    const std::string path = socket();
    chmod(path.c_str(), 0666);
    const int status = as_nobody([&path] {
        // connect_path() is used here, although it refuses other users' servers: it accepts root's.
        const base::UniqueFd connection(ipc::connect_path(path.c_str()));
        ipc::Welcome welcome{};
        int fd = -1;
        if (!ipc::shake_hands(connection.get(), ipc::PeerKind::kClient, "foreign", &welcome, &fd, kPatienceMs))
            return 50;
        return fd >= 0 ? 51 : static_cast<int>(welcome.status);
    });
    EXPECT_EQ(status, static_cast<int>(ipc::WelcomeStatus::kWrongUser));
}

TEST_F(Handshake, TheSocketIsClosedToOtherUsers) {
    NEEDS_ROOT("to become another user");
    chmod(directory.path().c_str(), 0755);
    const std::string path = socket();
    const int status = as_nobody([&path] { return ipc::connect_path(path.c_str()) < 0 && errno == EACCES ? 0 : 1; });
    EXPECT_EQ(status, 0);
}

class SystemServer : public WithServer {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become another user");
        chmod(directory.path().c_str(), 0755);
        start({"--system"});
    }
};

TEST_F(SystemServer, TellsNumbersAloneOfOthersOnADevice) {
    const std::string path = socket();
    TestClient first(path, "secret");
    TestClient elsewhere(path, "secret");
    ASSERT_TRUE(first.connected() && elsewhere.connected());
    first.add_queue(0, 77, 0x11);
    first.submit(0);
    elsewhere.add_queue(0, 77, 0x12, TestClient::kFirstDevice + 1);
    elsewhere.submit(0);
    const int status = as_nobody([&path] {
        TestClient client(path, "theirs");
        if (!client.connected()) return 1;
        client.add_queue(0, 0, 0x22);
        TestTool tool(path);
        const Json answer = tool.ask({{"cmd", "programs"}});
        if (answer["programs"].size() != 1 || answer["programs"][0]["devices"].size() != 1) return 2;
        if (answer["programs"][0]["devices"][0]["others_at_work"] != 1) return 3;
        const Json state = tool.ask({{"cmd", "status"}});
        if (state["shared_devices"].size() != 1) return 4;
        const std::string all = answer.dump() + state.dump();
        if (all.find("1 program of another user uses it as well") == std::string::npos) return 5;
        for (const char* hidden : {"secret", "priority\":77", "CPU:2"})
            if (all.find(hidden) != std::string::npos) return 6;
        return 0;
    });
    EXPECT_EQ(status, 0);
    const Json seen = TestTool(path).ask({{"cmd", "programs"}})["programs"];
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0]["devices"][0]["others_at_work"], 0) << "root sees all";
}

TEST_F(SystemServer, TakesEverybodyButShowsEachHisOwn) {
    const std::string path = socket();
    TestClient mine(path, "mine");
    ASSERT_TRUE(mine.connected());
    mine.add_queue(0, 0, 0x11);
    const int status = as_nobody([&path] {
        TestClient client(path, "theirs");
        if (!client.connected()) return 1;
        client.add_queue(0, 0, 0x22);
        TestTool tool(path);
        const Json list = tool.ask({{"cmd", "list"}});
        if (list["queues"].size() != 1 || list["queues"][0]["queue"] != 1) return 2;
        if (tool.ask({{"cmd", "suspend"}, {"queue", 0x11}})["ok"] != false) return 3;
        if (tool.ask({{"cmd", "hint"}, {"queue", 0x11}, {"priority", 9}})["ok"] != false) return 4;
        if (tool.ask({{"cmd", "suspend"}, {"pid", getppid()}})["ok"] != false) return 5;
        if (tool.ask({{"cmd", "policy"}, {"name", "HPF"}})["ok"] != false) return 6;
        if (tool.ask({{"cmd", "policy"}})["ok"] != true) return 7;
        if (tool.ask({{"cmd", "log"}, {"level", "DEBG"}})["ok"] != false) return 8;
        if (tool.ask({{"cmd", "log"}})["ok"] != true) return 9;
        return tool.ask({{"cmd", "suspend"}, {"queue", 0x22}})["ok"] == true ? 0 : 10;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(mine.slot(0).priority.load(), 0);
}

TEST_F(SystemServer, NobodyIsToldWhoseProgramHoldsHis) {
    const std::string path = socket();
    TestClient mine(path, "secret");
    ASSERT_TRUE(mine.connected());
    mine.add_queue(0, 10, 0x11);
    mine.submit(0);
    const int status = as_nobody([&path] {
        TestClient client(path, "theirs");
        if (!client.is_held(0x22)) return 1;
        TestTool tool(path);
        Json programs;
        const bool told = eventually([&] {
            programs = tool.ask({{"cmd", "programs"}})["programs"];
            return programs.size() == 1 && !programs[0]["held"][2]["by"].empty();
        });
        if (!told) return 3;
        const Json& by = programs[0]["held"][2]["by"][0];
        if (by["program"] != "another user's program" || by.contains("pid") || by.contains("priority")) return 4;
        for (const char* command : {"programs", "status", "list"})
            if (tool.ask({{"cmd", command}}).dump().find("secret") != std::string::npos) return 5;
        return 0;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace xsched::test
