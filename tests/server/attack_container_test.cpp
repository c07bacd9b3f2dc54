// Root of a container, and others whose uid says nothing: each is an ordinary user, apart from all others.
#include <optional>

#include "server/hostile.h"
#include "support/containers.h"

namespace xsched::test {
namespace {

std::optional<TestClient> g_client;  // of a child, for as long as it lives

class ContainerAttack : public UnderAttack {
protected:
    // In a child: connects a client with one queue, and waits until the server lists the queue for it.
    static bool make_client(const std::string& path, uint64_t handle) {
        g_client.emplace(path, std::to_string(handle).c_str());
        if (!g_client->connected()) return false;
        g_client->add_queue(0, 0, handle);
        g_client->submit(0);
        return eventually([&] { return has_program(answer_of_server(path, {{"cmd", "list"}}), handle); });
    }
    static bool has_program(const Json& list, uint64_t handle) {
        for (const Json& queue : list["queues"])
            if (queue["program"] == std::to_string(handle)) return true;
        return false;
    }
    // Returns the pid, as the host's root sees it, of the queue's process; -1: there is no queue with this handle.
    int32_t pid_of(uint64_t handle) {
        const Json list = answer_of_server(socket(), {{"cmd", "list"}});
        for (const Json& queue : list["queues"])
            if (queue["program"] == std::to_string(handle)) return queue["pid"];
        return -1;
    }
    bool is_held(uint64_t handle) {
        const Json list = answer_of_server(socket(), {{"cmd", "list"}});
        for (const Json& queue : list["queues"])
            if (queue["program"] == std::to_string(handle)) return queue["suspended"];
        return false;
    }
    // Returns this process's powers over the program `pid` and the server: one letter for each. "": none.
    static std::string powers(const std::string& path, int32_t pid) {
        std::string done;
        const auto attempt = [&](char letter, const Json& request) {
            if (answer_of_server(path, request).value("ok", false)) done += letter;
        };
        attempt('s', {{"cmd", "suspend"}, {"pid", pid}});
        attempt('h', {{"cmd", "hint"}, {"pid", pid}, {"priority", 200}});
        attempt('c', {{"cmd", "config"}, {"pid", pid}, {"level", 1}});
        attempt('e', {{"cmd", "status"}, {"pid", pid}});
        attempt('p', {{"cmd", "policy"}, {"name", "CFS"}});
        attempt('g', {{"cmd", "log"}, {"level", "ERRO"}});
        attempt('l', {{"cmd", "limit"}, {"set", "highest-priority=255"}});
        attempt('u', {{"cmd", "limit"}, {"set", "1000:highest-priority=255"}});
        attempt('r', {{"cmd", "limit"}, {"set", "/:share=90"}});
        if (const Json list = answer_of_server(path, {{"cmd", "list"}}); list["queues"].size() != 0) done += 'L';
        const Json limits = answer_of_server(path, {{"cmd", "limits"}});
        for (const Json& user : limits["users"])
            if (user["trusted"] == true) done += 'T';
        return done;
    }
    // Returns the number of letters in the list of what the process in the container can do to others; 0: nothing.
    // The list is printed to standard error.
    static int count_powers(const std::string& path, int32_t pid) {
        const std::string done = powers(path, pid);
        if (!done.empty()) fprintf(stderr, "powers: %s\n", done.c_str());
        return static_cast<int>(std::min<size_t>(done.size(), 90));
    }
    static size_t own_queues(const std::string& path) {
        return answer_of_server(path, {{"cmd", "list"}})["queues"].size();
    }
};

TEST_F(ContainerAttack, RootOfOneDoesNotSteerAnother) {
    const std::string path = socket();
    Container victim([&] { return make_client(path, 0x71); });
    ASSERT_TRUE(victim.ready());
    const int32_t pid = pid_of(0x71);
    ASSERT_GT(pid, 0) << "the host's root sees it";
    EXPECT_EQ(in_container([&] { return count_powers(path, pid); }), 0);
    EXPECT_FALSE(is_held(0x71));
    EXPECT_EQ(answer_of_server(path, {{"cmd", "policy"}})["policy"], "HPF");
    EXPECT_TRUE(answer_of_server(path, {{"cmd", "suspend"}, {"pid", pid}}).value("ok", false)) << "the host's root may";
    EXPECT_TRUE(eventually([&] { return is_held(0x71); }));
}

TEST_F(ContainerAttack, RootOfAContainerOwnsNothingOfTheHosts) {
    const std::string path = socket();
    TestClient victim(path, "victim");
    ASSERT_TRUE(victim.connected());
    victim.add_queue(0, 0, 0x72);
    const int32_t pid = getpid();
    EXPECT_EQ(in_container([&] { return count_powers(path, pid); }), 0);
}

// Root of a container has CAP_SETUID and CAP_SETGID and can take any uid there. This uid must not count as the host
// user of the same number.
TEST_F(ContainerAttack, AUidTakenInAContainerIsNotTheHosts) {
    const std::string path = socket();
    Attacker victim(kVictimUid, [&] { return make_client(path, 0x73); });
    ASSERT_TRUE(victim.ready());
    const int32_t pid = victim.pid();
    EXPECT_EQ(in_container([&] { return become(kVictimUid) ? count_powers(path, pid) : 96; }), 0);
    EXPECT_EQ(as_user(kVictimUid, [&] { return own_queues(path) == 1 ? 0 : 1; }), 0) << "he himself sees it";
}

TEST_F(ContainerAttack, EachContainerSeesItsOwn) {
    const std::string path = socket();
    EXPECT_EQ(in_container([&] {
                  if (!make_client(path, 0x74) || own_queues(path) != 1) return 1;
                  // A user of the container sees none of root's; its root sees both.
                  if (as_user(1234, [&] {
                          return own_queues(path) == 0 && make_client(path, 0x75) && own_queues(path) == 1 ? 0 : 2;
                      }) != 0)
                      return 2;
                  Attacker user(1234, [&] { return make_client(path, 0x76); });
                  if (!user.ready() || own_queues(path) != 2) return 3;
                  return answer_of_server(path, {{"cmd", "suspend"}, {"queue", 0x76}}).value("ok", false) ? 0 : 4;
              }),
              0);
}

// However many uids he takes.
TEST_F(ContainerAttack, AContainerIsOneUserToTheLimits) {
    server->stop();
    start_system({"--limit", "clients=4"});
    const std::string path = socket();
    EXPECT_EQ(in_container([&] {
                  static std::vector<std::unique_ptr<Attacker>> users;
                  static std::vector<base::UniqueFd> clients;
                  int let_in = 0;
                  for (uid_t uid = 0; uid < 8; ++uid) {
                      users.push_back(std::make_unique<Attacker>(uid, [&] {
                          clients.push_back(raw_client(path));
                          return static_cast<bool>(clients.back());
                      }));
                      let_in += users.back()->ready() ? 1 : 0;
                  }
                  return let_in;
              }),
              4);
    EXPECT_TRUE(TestClient(path).connected());
}

// A root process on the host without its capabilities (a service with a bounding set) is treated like an ordinary
// user: it may control its own programs, but not root's.
TEST_F(ContainerAttack, RootWithoutRightsIsNotRoot) {
    const std::string path = socket();
    TestClient victim(path, "victim");
    ASSERT_TRUE(victim.connected());
    victim.add_queue(0, 0, 0x77);
    const int32_t pid = getpid();
    EXPECT_EQ(in_child([&] { return keep_capabilities() ? count_powers(path, pid) : 97; }), 0);
    EXPECT_EQ(in_child([&] {
                  if (!keep_capabilities() || !make_client(path, 0x78)) return 97;
                  return own_queues(path) == 1 ? 0 : 1;
              }),
              0);
}

// Root of a user namespace is not root for the server: it has all capabilities, but only within its namespace.
TEST_F(ContainerAttack, RootOfAUserNamespaceIsNotRoot) {
    if (in_child([] { return enter_user_namespace() ? 0 : 1; }) != 0)
        GTEST_SKIP() << "no user namespace here: the kernel refuses it, and always to a process with ThreadSanitizer's"
                        " second thread";
    const std::string path = socket();
    TestClient victim(path, "victim");
    ASSERT_TRUE(victim.connected());
    victim.add_queue(0, 0, 0x79);
    const int32_t pid = getpid();
    EXPECT_EQ(in_child([&] { return enter_user_namespace() ? count_powers(path, pid) : 97; }), 0);
    EXPECT_EQ(in_container([&] { return enter_user_namespace() ? count_powers(path, pid) : 97; }), 0);
    Sitter other([&] { return enter_user_namespace() && make_client(path, 0x7a); });
    ASSERT_TRUE(other.ready());
    const int32_t there = other.pid();
    EXPECT_EQ(in_child([&] { return enter_user_namespace() ? count_powers(path, there) : 97; }), 0)
        << "two user namespaces are two users";
}

// A container that an ordinary user has made is his: he sees its programs, and pays for them.
TEST_F(ContainerAttack, ARootlessContainerIsItsUsers) {
    if (as_user(kVictimUid, [] { return enter_user_namespace() ? 0 : 1; }) != 0)
        GTEST_SKIP() << "users may not make user namespaces here";
    const std::string path = socket();
    Attacker victim(kVictimUid, [&] { return make_client(path, 0x7b); });
    Attacker container(kVictimUid, [&] {
        if (!enter_user_namespace() || unshare(CLONE_NEWPID) != 0) return false;
        static std::optional<Sitter> inner;
        inner.emplace([&] { return make_client(path, 0x7c) && own_queues(path) == 1; });
        return inner->ready();
    });
    ASSERT_TRUE(container.ready());
    ASSERT_TRUE(victim.ready());
    EXPECT_EQ(as_user(kVictimUid, [&] { return own_queues(path) == 2 ? 0 : 1; }), 0);
    int64_t clients = 0;
    const Json limits = answer_of_server(path, {{"cmd", "limits"}});
    for (const Json& user : limits["users"])
        for (const Json& limit : user["limits"])
            if (user["uid"] == kVictimUid && limit["name"] == "clients") clients = limit["used"];
    EXPECT_EQ(clients, 2);
}

// Attacks by clients that connect through the server's socket for containers (--guest-socket).
class GuestAttack : public ContainerAttack {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become other users");
        chmod(directory.path().c_str(), 0755);
        start_system({"--guest-socket", guests()});
    }
    std::string guests() const { return directory / "guests/x.sock"; }
};

// Even the host's own root, from the host's own namespaces, is an ordinary user at the socket for containers.
TEST_F(GuestAttack, RootIsAnOrdinaryUserThere) {
    TestClient victim(socket(), "victim");
    ASSERT_TRUE(victim.connected());
    victim.add_queue(0, 0, 0x81);
    const std::string path = guests();
    EXPECT_EQ(count_powers(path, getpid()), 0);
    const int32_t pid = getpid();
    EXPECT_EQ(in_container([&] { return count_powers(path, pid); }), 0);
    EXPECT_EQ(powers(socket(), pid), "shcepglurLT") << "by the other socket it is root";
}

TEST_F(GuestAttack, AUidThereIsNotTheHosts) {
    const std::string main = socket();
    Attacker victim(kVictimUid, [&] { return make_client(main, 0x82); });
    ASSERT_TRUE(victim.ready());
    const std::string path = guests();
    const int32_t pid = victim.pid();
    EXPECT_EQ(as_user(kVictimUid, [&] { return count_powers(path, pid); }), 0);
    EXPECT_EQ(as_user(kVictimUid, [&] { return own_queues(main) == 1 ? 0 : 1; }), 0);
}

TEST_F(GuestAttack, ClientsAndTheirOwnQuestionsAreAdmitted) {
    const std::string path = guests();
    EXPECT_EQ(in_container([&] {
                  if (!make_client(path, 0x83) || own_queues(path) != 1) return 1;
                  const auto may = [&path](const Json& request) {
                      return answer_of_server(path, request).value("ok", false);
                  };
                  if (!may({{"cmd", "status"}}) || !may({{"cmd", "programs"}}) || !may({{"cmd", "limits"}})) return 2;
                  if (!may({{"cmd", "hint"}, {"queue", 0x83}, {"priority", 200}})) return 3;
                  if (!may({{"cmd", "suspend"}, {"queue", 0x83}}) || !may({{"cmd", "resume"}, {"queue", 0x83}}))
                      return 4;
                  // Commands about limits and the log are refused, whether they ask or change something.
                  return may({{"cmd", "limit"}}) || may({{"cmd", "log"}}) ? 5 : 0;
              }),
              0);
    server->stop();
    EXPECT_NE(access(path.c_str(), F_OK), 0) << "it goes with the server";
}

}  // namespace
}  // namespace xsched::test
