// One user who takes all that he can get: he gets his share, the others theirs, and root always gets in.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "server/hostile.h"
#include "support/sanitized.h"

namespace xsched::test {
namespace {

std::vector<base::UniqueFd> g_kept;  // of an attacker, for as long as it lives

class LimitAttack : public UnderAttack {
protected:
    // Returns the part of `limit` that `user` has, and may have.
    std::pair<int64_t, int64_t> use_of(uid_t user, const std::string& limit) {
        const Json answer = TestTool(socket()).ask({{"cmd", "limits"}});
        for (const Json& entry : answer["users"])
            for (const Json& one : entry["limits"])
                if (entry["uid"] == user && one["name"] == limit)
                    return {one.value("used", int64_t{-1}), one.value("most", int64_t{-1})};
        return {-1, -1};
    }
    // Returns how often the server's threads have gone to sleep so far, as /proc counts it.
    size_t times_woken() {
        const std::string folder = "/proc/" + std::to_string(server->pid()) + "/task";
        size_t sum = 0;
        for (const auto& task : std::filesystem::directory_iterator(folder)) {
            std::ifstream file(task.path() / "status");
            for (std::string word; file >> word;)
                if (word == "voluntary_ctxt_switches:") {
                    size_t count = 0;
                    file >> count;
                    sum += count;
                }
        }
        return sum;
    }
};

TEST_F(LimitAttack, ThousandsOfClients) {
    const std::string path = socket();
    const int64_t before = resident_mib();
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 400; ++i) {
            base::UniqueFd client = raw_client(path);
            if (client) g_kept.push_back(std::move(client));
        }
        return g_kept.size() == 256;
    });
    EXPECT_TRUE(attacker.ready()) << "256 of 400 are let in";
    EXPECT_EQ(use_of(kAttackerUid, "clients"), (std::pair<int64_t, int64_t>{256, 256}));
    EXPECT_LE(resident_mib(), before + kSlower * 256) << "half a MiB each";
    expect_answers();
    expect_scheduling();
    attacker.stop();
    EXPECT_TRUE(eventually([&] { return use_of(kAttackerUid, "clients").first == 0; }));
    EXPECT_TRUE(eventually([&] { return use_of(kAttackerUid, "descriptors").first == 0; }));
}

// The kernel waits for 128 words at once: beyond that a thread might look again and again.
TEST_F(LimitAttack, HundredsOfIdleClientsWakeNobody) {
    server->stop();
    start_system({"--limit", "clients=500", "--limit", "descriptors=4000"});
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 400; ++i)
            if (base::UniqueFd client = raw_client(path)) g_kept.push_back(std::move(client));
        return g_kept.size() == 400;
    });
    ASSERT_TRUE(attacker.ready());
    constexpr int kSeconds = 2;
    // Takes the least of several counts of wake-ups: another user's tool, or a regular look, may wake the threads in
    // one of them.
    size_t least = SIZE_MAX;
    for (int i = 0; i < 2; ++i) {
        usleep(300'000);
        const size_t before = times_woken();
        sleep(kSeconds);
        least = std::min(least, times_woken() - before);
    }
    // ThreadSanitizer has a thread of its own in the server, which wakes ten times a second.
    EXPECT_LE(least, (kSanitized ? 20U : 10U) * kSeconds) << "times that a thread of the server slept again";
}

TEST_F(LimitAttack, ManyUsersTogetherLeaveRoomForRoot) {
    server->stop();
    start_system(
        {"--limit", "clients=1000", "--limit", "descriptors=4000"});  // all of them have 8,192, enough for 2,400
    const std::string path = socket();
    std::vector<std::unique_ptr<Attacker>> attackers;
    for (uid_t uid = 60000; uid < 60003; ++uid)
        attackers.push_back(std::make_unique<Attacker>(uid, [&] {
            for (int i = 0; i < 800; ++i)
                if (base::UniqueFd client = raw_client(path)) g_kept.push_back(std::move(client));
            return true;
        }));
    const int64_t all =
        use_of(60000, "clients").first + use_of(60001, "clients").first + use_of(60002, "clients").first;
    EXPECT_LE(all, 2048);
    EXPECT_GE(all, descriptors() > 4000 ? 2048 : 1000) << "the system may have fewer descriptors";
    expect_scheduling();  // as root
}

TEST_F(LimitAttack, SilentConnections) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 513; ++i) g_kept.emplace_back(ipc::connect_path(path.c_str()));
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    EXPECT_LE(use_of(kAttackerUid, "silent").first, 16);
    EXPECT_LE(use_of(kAttackerUid, "descriptors").first, 64);
    expect_answers();
    expect_answers(0);
}

TEST_F(LimitAttack, IdleToolConnections) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        for (int i = 0; i < 100; ++i) {
            base::UniqueFd tool(ipc::connect_path(path.c_str()));
            ipc::Welcome welcome{};
            if (!ipc::shake_hands(tool.get(), ipc::PeerKind::kTool, "idle", &welcome, nullptr, kPatienceMs))
                return false;
            if (welcome.status != ipc::WelcomeStatus::kAccepted) return false;
            g_kept.push_back(std::move(tool));
        }
        return true;
    });
    EXPECT_TRUE(attacker.ready()) << "the oldest makes room for the newest";
    EXPECT_EQ(use_of(kAttackerUid, "tools").first, 16);
    expect_answers();
    expect_answers(kAttackerUid);
}

TEST_F(LimitAttack, ExpectedProgramsWithoutEnd) {
    const std::string path = socket();
    const size_t before = descriptors();
    // One process, again and again; then many.
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          TestTool tool(path);
                          for (int i = 0; i < 3000; ++i)
                              if (!tool.ask({{"cmd", "expect"}}).value("ok", false)) return 1;
                          return 0;
                      }),
              0);
    EXPECT_LE(descriptors(), before + 8);
    Attacker attacker(kAttackerUid, [&] {
        int accepted = 0;
        static std::optional<TestTool> tool;
        static std::vector<std::unique_ptr<Sitter>> sitters;
        for (int i = 0; i < 80; ++i) {
            sitters.push_back(std::make_unique<Sitter>([&] {
                tool.emplace(path);
                return tool->accepted() && tool->ask({{"cmd", "expect"}}).value("ok", false);
            }));
            accepted += sitters.back()->ready() ? 1 : 0;
        }
        return accepted == 64;
    });
    EXPECT_TRUE(attacker.ready()) << "64 of 80";
    EXPECT_EQ(use_of(kAttackerUid, "expected").first, 64);
    expect_answers();
}

TEST_F(LimitAttack, ConnectionsThatComeAndGo) {
    const std::string path = socket();
    const size_t before = descriptors();
    std::vector<std::unique_ptr<Attacker>> attackers;
    const auto attack_with = [&](const std::function<void()>& step) {
        attackers.clear();
        for (int i = 0; i < 2; ++i)
            attackers.push_back(std::make_unique<Attacker>(kAttackerUid, [&] {
                if (fork() == 0) {
                    prctl(PR_SET_PDEATHSIG, SIGKILL);
                    for (;;) step();
                }
                return true;
            }));
    };
    attack_with([] { getppid(); });  // what they take of the processors is no fault of the server's
    Answers beside;
    ASSERT_NO_FATAL_FAILURE(ask(kVictimUid, beside));
    attack_with([&] {
        const base::UniqueFd connection(ipc::connect_path(path.c_str()));
        ipc::send_packet(connection.get(), "hello?", 6);
    });
    expect_answers(kVictimUid, beside.median_ms);
    expect_scheduling();
    EXPECT_LE(descriptors(), before + 64);
}

TEST_F(LimitAttack, LimitsAreRaisedByThoseWhoMay) {
    const std::string path = socket();
    const Json mine{{"cmd", "limit"}, {"set", std::to_string(kAttackerUid) + ":clients=3"}};
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          const Json answer = TestTool(path).ask(mine);
                          return answer.value("ok", true) ? 1 : 0;
                      }),
              0);
    EXPECT_EQ(TestTool(path).ask(mine).value("ok", false), true);
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          int in = 0;
                          for (int i = 0; i < 5; ++i) {
                              g_kept.push_back(raw_client(path));
                              in += g_kept.back() ? 1 : 0;
                          }
                          return in;
                      }),
              3);
    for (const char* bad :
         {"nonsense=3", "clients=-1", "clients=x", "clients", "highest-priority=256", "nobody:clients=3"})
        EXPECT_EQ(TestTool(path).ask({{"cmd", "limit"}, {"set", bad}}).value("ok", true), false) << bad;
}

TEST_F(LimitAttack, AnOrdinaryUserSeesHisOwnLimits) {
    const std::string path = socket();
    TestTool root(path);
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          const Json answer = TestTool(path).ask({{"cmd", "limits"}});
                          if (answer["users"].size() != 1 || answer["users"][0]["uid"] != kAttackerUid) return 1;
                          for (const Json& one : answer["users"][0]["limits"])
                              if (one["name"] == "highest-priority") return one["most"] == 127 ? 0 : 2;
                          return 3;
                      }),
              0);
    EXPECT_EQ(use_of(0, "highest-priority").second, 255);
}

// Members of the group xsched get in and may raise limits. The server runs in a mount namespace of its own, in which
// /etc/group has that group.
TEST_F(LimitAttack, MembersOfTheGroupGetInAndRaise) {
    constexpr gid_t kGroup = 54321;
    server->stop();
    const std::string file = directory.path() + "/group";
    const std::string known = "cp /etc/group " + file + " && echo xsched:x:" + std::to_string(kGroup) + ": >> " + file;
    ASSERT_EQ(system(known.c_str()), 0);
    Process process(
        {"/usr/bin/unshare", "-m", "/bin/sh", "-c",
         "mount --bind " + file + " /etc/group && exec " + binary("xserver") + " --system --socket " + socket()},
        directory.environment());
    if (!process.wait_for_output("listening on")) GTEST_SKIP() << "no mount namespace here: " << process.err();
    const std::string path = socket();
    const auto try_as = [&path](gid_t group) {
        return in_child([&] {
            if (!become(kAttackerUid, {group})) return 2;
            TestTool tool(path);
            return tool.ask({{"cmd", "limit"}, {"set", "clients=5"}}).value("ok", false) ? 0 : 1;
        });
    };
    EXPECT_EQ(try_as(kGroup + 1), 1);
    EXPECT_EQ(try_as(kGroup), 0);
    kill(process.pid(), SIGTERM);
    EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace xsched::test
