// A server in namespaces of its own: it logs once, and shows in its status, what it cannot see from there. Programs
// outside are served all the same.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "support/own_mounts.h"
#include "support/server_rig.h"

namespace xsched::test {
namespace {

class OwnNamespaces : public ::testing::Test {
protected:
    void SetUp() override {
        NEEDS_ROOT("to make namespaces");
        std::ifstream mounts("/proc/self/mounts");
        for (std::string line; std::getline(mounts, line);) {
            std::istringstream words(line);
            std::string device;
            std::string place;
            std::string kind;
            words >> device >> place >> kind;
            if (kind == "cgroup2") mount_ = place;
        }
        group_ = "/xsched-test-" + std::to_string(getpid());
        if (mount_.empty() || mkdir((mount_ + group_).c_str(), 0755) != 0)
            GTEST_SKIP() << "no control group of version 2 can be made here";
        mkdir((mount_ + group_ + "/server").c_str(), 0755);
        mkdir((mount_ + group_ + "/program").c_str(), 0755);
    }
    void TearDown() override {
        server_.reset();
        program_.reset();
        for (const char* part : {"/server", "/program", ""})
            EXPECT_TRUE(eventually([&] { return rmdir((mount_ + group_ + part).c_str()) == 0 || errno == ENOENT; }))
                << part;
    }
    bool enter(const std::string& group) const {
        std::ofstream procs(mount_ + group + "/cgroup.procs");
        procs << "0" << std::flush;
        return procs.good();
    }
    // Starts a system server in new namespaces. `blind`: it sees no control groups.
    void start(int namespaces, bool blind) {
        const auto serve = [this] {
            static std::optional<ServerProcess> server;
            Environment environment = directory_.environment();
            environment["XLOG_FILE"] = log();
            server.emplace(directory_, std::vector<std::string>{"--system"}, environment);
            return server->ready();
        };
        server_.emplace([&] {
            if (!enter(group_ + "/server") || unshare(namespaces) != 0) return false;
            if (blind && (!enter_own_mounts() || umount2("/sys/fs/cgroup", MNT_DETACH) != 0)) return false;
            if ((namespaces & CLONE_NEWPID) == 0) return serve();
            static std::optional<Sitter> first;  // of the new namespace
            first.emplace(serve);
            return first->ready();
        });
        ASSERT_TRUE(server_->ready()) << text_of_log();
    }
    std::string log() const { return directory_ / "log"; }
    std::string text_of_log() const {
        std::ifstream file(log());
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Json ask(const Json& request) const { return answer_of_server(directory_.socket(), request); }
    std::string spots() const { return ask({{"cmd", "status"}}).value("blind_spots", Json::array()).dump(); }

    PrivateDirectory directory_;
    std::string mount_;
    std::string group_;
    std::optional<Sitter> server_;
    std::optional<Sitter> program_;
};

TEST_F(OwnNamespaces, AreTold) {
    start(CLONE_NEWPID | CLONE_NEWCGROUP, true);
    EXPECT_NE(spots().find("pid namespace of its own"), std::string::npos) << spots();
    EXPECT_NE(spots().find("control group namespace of its own"), std::string::npos) << spots();
    const std::string text = text_of_log();
    const size_t warning = text.find("[WARN");
    ASSERT_NE(warning, std::string::npos) << text;
    EXPECT_EQ(text.find("[WARN", warning + 1), std::string::npos) << "one line: " << text;
    const std::string told = text.substr(warning, text.find('\n', warning) - warning);
    EXPECT_NE(told.find("pid namespace of its own"), std::string::npos) << told;
    EXPECT_NE(told.find("control group namespace of its own"), std::string::npos) << told;
}

TEST_F(OwnNamespaces, AnotherServerSaysNothing) {
    start(0, false);
    EXPECT_EQ(spots(), "[]");
    EXPECT_EQ(text_of_log().find("of its own"), std::string::npos);
}

// The host's hierarchy is mounted: groups outside have their names.
TEST_F(OwnNamespaces, GroupsOutsideAreFoundWhereTheyAreMounted) {
    start(CLONE_NEWCGROUP, false);
    EXPECT_EQ(spots(), "[]");
    program_.emplace([this] {
        static std::optional<TestClient> client;
        if (!enter(group_ + "/program")) return false;
        client.emplace(directory_.socket());
        if (client->connected()) client->add_queue(0, 0, 0x91);
        return client->connected();
    });
    ASSERT_TRUE(program_->ready());
    EXPECT_EQ(ask({{"cmd", "limit"}, {"set", group_ + "/program:highest-priority=7"}}).value("ok", false), true);
    Json list;
    ASSERT_TRUE(eventually([&] { return (list = ask({{"cmd", "list"}}))["queues"].size() == 1; })) << list;
    EXPECT_EQ(list["queues"][0]["cgroup"], group_ + "/program");
    EXPECT_EQ(list["queues"][0]["group_gets"]["highest_priority"], 7);
}

TEST_F(OwnNamespaces, GroupsThatAreNotSeenAreNotSet) {
    start(CLONE_NEWCGROUP, true);
    const Json answer = ask({{"cmd", "limit"}, {"set", group_ + "/program:share=30"}});
    EXPECT_EQ(answer.value("ok", true), false);
    EXPECT_NE(answer.value("error", "").find("does not see that group"), std::string::npos) << answer;
}

}  // namespace
}  // namespace xsched::test
