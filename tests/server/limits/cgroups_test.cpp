// Shares and limits of control groups: what is read, who may say it, what counts, and that the server keeps to it.
#include "server/limits/cgroups.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "support/directory.h"
#include "support/server_rig.h"

namespace xsched::server {
namespace {

const Peer kRoot{100, 0, true};
const Peer kAlice{101, 1000, false};

// "30 to 50"
std::string told(const Cgroups& groups, const std::string& path) {
    dispatch::GroupShare share;
    groups.tell(path, share);
    if (share.account == 0) return "";
    return std::to_string(share.share) + " to " + std::to_string(share.limit);
}

// Returns null, or why the setting is refused.
const char* set(Cgroups& groups, const std::string& setting, const Peer& peer = kRoot) {
    return groups.set(config::read_group_setting(setting), &peer);
}

void set_all(Cgroups& groups, std::initializer_list<const char*> settings) {
    for (const char* setting : settings) EXPECT_EQ(set(groups, setting), nullptr) << setting;
}

TEST(Cgroups, TheNearestGroupCounts) {
    Cgroups groups;
    set_all(groups, {"/kube:share=30", "/kube:device-limit=50", "/kube/pod:share=10"});
    EXPECT_EQ(told(groups, "/kube"), "30 to 50");
    EXPECT_EQ(told(groups, "/kube/other"), "30 to 50");
    EXPECT_EQ(told(groups, "/kube/pod/container"), "10 to 100");
    EXPECT_EQ(told(groups, "/kubernetes"), "");
    EXPECT_EQ(told(groups, ""), "");
    EXPECT_EQ(set(groups, "/kube/pod:share=0"), nullptr);
    EXPECT_EQ(told(groups, "/kube/pod/container"), "30 to 50");
}

TEST(Cgroups, NobodyEscapesWhatWasGivenByAnAdministrator) {
    Cgroups groups;
    set(groups, "/users:device-limit=20");
    set(groups, "/users/alice:share=100", kAlice);
    EXPECT_EQ(told(groups, "/users/alice"), "0 to 20");
    EXPECT_NE(set(groups, "/users:device-limit=90", kAlice), nullptr);
}

int32_t ceiling(const Cgroups& groups, const std::string& path) {
    dispatch::GroupShare share;
    groups.tell(path, share);
    return share.highest_priority;
}

TEST(Cgroups, ACeilingHoldsForAllGroupsBelow) {
    Cgroups groups;
    ASSERT_EQ(set(groups, "/kube:highest-priority=50"), nullptr);
    EXPECT_EQ(ceiling(groups, "/kube"), 50);
    EXPECT_EQ(ceiling(groups, "/kube/pod/container"), 50);
    EXPECT_EQ(ceiling(groups, "/kubernetes"), PRIORITY_MAX);
    EXPECT_EQ(ceiling(groups, ""), PRIORITY_MAX);
    EXPECT_EQ(told(groups, "/kube"), "") << "it is no share, nor an account";
    ASSERT_EQ(set(groups, "/kube/pod:highest-priority=20"), nullptr);
    ASSERT_EQ(set(groups, "/kube/pod:share=10"), nullptr);
    EXPECT_EQ(ceiling(groups, "/kube/pod"), 20);
    EXPECT_EQ(ceiling(groups, "/kube/other"), 50);
    ASSERT_EQ(set(groups, "/kube:highest-priority=255"), nullptr);
    EXPECT_EQ(ceiling(groups, "/kube/other"), PRIORITY_MAX);
    EXPECT_EQ(ceiling(groups, "/kube/pod"), 20);
}

TEST(Cgroups, NobodyRaisesACeilingFromInside) {
    Cgroups groups;
    set(groups, "/users:highest-priority=20");
    EXPECT_NE(set(groups, "/users:highest-priority=255", kAlice), nullptr);
    EXPECT_EQ(set(groups, "/users/alice:highest-priority=200", kAlice), nullptr);
    EXPECT_EQ(ceiling(groups, "/users/alice/deeper"), 20);
    EXPECT_EQ(set(groups, "/users/alice:highest-priority=5", kAlice), nullptr);
    EXPECT_EQ(ceiling(groups, "/users/alice/deeper"), 5) << "lower he may";
    EXPECT_EQ(set(groups, "/users/alice:device-limit=50"), nullptr);
    EXPECT_EQ(ceiling(groups, "/users/alice"), 20) << "what he said has not become an administrator's word";
}

// A hierarchy of directories that are there.
class Hierarchy : public ::testing::Test {
protected:
    void make(const std::string& path) { ASSERT_EQ(mkdir((mount / path).c_str(), 0700), 0) << path; }
    bool gives(const std::string& path, const Peer& peer) { return set(groups, path + ":share=1", peer) == nullptr; }
    // As many as one user may have.
    void fill(const Peer& peer) {
        for (size_t i = 0; i < Cgroups::kMostOfUser; ++i) {
            const std::string path = "/u" + std::to_string(peer.uid) + "-" + std::to_string(i);
            make(path);
            ASSERT_TRUE(gives(path, peer));
        }
    }

    test::TemporaryDirectory mount;
    Cgroups groups{{true, "", {mount.path()}}};
};

TEST_F(Hierarchy, AnOrdinaryUserHasSoMany) {
    fill(kAlice);
    make("/more");
    EXPECT_FALSE(gives("/more", kAlice));
    EXPECT_TRUE(gives("/more", kRoot));
}

TEST_F(Hierarchy, ManyUsersTogetherLeaveRoomForAdministrators) {
    for (size_t user = 0; user < Cgroups::kMostOfOrdinary / Cgroups::kMostOfUser; ++user)
        fill({101, static_cast<uid_t>(2000 + user), false});
    make("/more");
    EXPECT_FALSE(gives("/more", {101, 3000, false}));
    EXPECT_TRUE(gives("/more", kRoot));
}

TEST_F(Hierarchy, GroupsThatHaveGoneTakeNoPlace) {
    fill(kAlice);
    make("/more");
    ASSERT_FALSE(gives("/more", kAlice));
    ASSERT_EQ(rmdir((mount / "/u1000-3").c_str()), 0);
    EXPECT_TRUE(gives("/more", kAlice));
    EXPECT_EQ(told(groups, "/u1000-3"), "");
    EXPECT_EQ(told(groups, "/u1000-4"), "1 to 100");
}

TEST(Cgroups, EachMayShareAsOneAlsoIfNothingWasSaidOfAny) {
    Cgroups groups;
    groups.share_by_group();
    ASSERT_EQ(set(groups, "/kube:share=30"), nullptr);
    const auto account = [&groups](const char* path) {
        dispatch::GroupShare share;
        groups.tell(path, share);
        return share.account.load();
    };
    EXPECT_NE(account("/one"), 0U);
    EXPECT_EQ(account("/one"), account("/one"));
    EXPECT_NE(account("/one"), account("/two"));
    EXPECT_EQ(account(""), 0U);
    EXPECT_EQ(account("/kube/pod"), account("/kube"));
    Cgroups later;
    later.share_by_group();
    dispatch::GroupShare share;
    later.tell("/one", share);
    EXPECT_NE(share.account.load(), account("/one")) << "nobody foresees it";
}

// "limit, guarantee"
std::string memory_told(const Cgroups& groups, const std::string& path) {
    dispatch::GroupShare share;
    groups.tell(path, share);
    EXPECT_EQ(share.memory_account != 0, share.memory_limit + share.memory_guarantee != 0);
    return std::to_string(share.memory_limit) + ", " + std::to_string(share.memory_guarantee);
}

TEST(Cgroups, MemoryIsSetLikeTheRestAndByItself) {
    Cgroups groups;
    set_all(groups, {"/kube:memory-limit=20GiB", "/kube:memory-guarantee=4096", "/kube/pod:share=10"});
    EXPECT_EQ(memory_told(groups, "/kube/pod/one"), "21474836480, 4096");
    EXPECT_EQ(told(groups, "/kube/pod/one"), "10 to 100");
    EXPECT_EQ(told(groups, "/kube"), "") << "a limit of memory does not make its programs share time as one";
    EXPECT_EQ(memory_told(groups, "/other"), "0, 0");
    ASSERT_EQ(set(groups, "/kube/pod:memory-limit=1MiB"), nullptr);
    EXPECT_EQ(memory_told(groups, "/kube/pod"), "1048576, 0");
    set_all(groups, {"/kube:memory-limit=0", "/kube:memory-guarantee=0"});
    EXPECT_EQ(memory_told(groups, "/kube"), "0, 0");
    EXPECT_THROW(config::read_group_setting("/kube:memory-limit=-1"), std::runtime_error);
    EXPECT_THROW(config::read_group_setting("/kube:memory-limit=20Gibberish"), std::runtime_error);
    EXPECT_THROW(config::read_group_setting("/kube:share=1KiB"), std::runtime_error);
}

TEST_F(Hierarchy, AServerAfterThisOneKnowsThem) {
    make("/mine");
    make("/gone");
    ASSERT_TRUE(gives("/gone", kAlice));
    ASSERT_TRUE(gives("/mine", kAlice));
    ASSERT_TRUE(gives("/administrators", kRoot));
    ASSERT_EQ(set(groups, "/administrators:highest-priority=7"), nullptr);
    ASSERT_EQ(set(groups, "/administrators:memory-limit=5GiB"), nullptr);
    ASSERT_EQ(rmdir((mount / "/gone").c_str()), 0);
    Cgroups later{{true, "", {mount.path()}}};
    for (const KeptGroup& group : groups.kept()) later.take_up(group);
    for (const char* path : {"/mine", "/administrators"}) {
        dispatch::GroupShare before;
        dispatch::GroupShare after;
        groups.tell(path, before);
        later.tell(path, after);
        EXPECT_EQ(told(later, path), told(groups, path)) << path;
        EXPECT_EQ(after.account.load(), before.account.load()) << path;
        EXPECT_EQ(memory_told(later, path), memory_told(groups, path)) << path;
        EXPECT_EQ(after.trusted.load(), before.trusted.load()) << path;
        EXPECT_EQ(after.highest_priority.load(), before.highest_priority.load()) << path;
    }
    EXPECT_EQ(told(later, "/gone"), "");
    EXPECT_NE(later.set({"/administrators", GroupSetting::What::kShare, 9}, &kAlice), nullptr)
        << "what an administrator said stays his";
    dispatch::GroupShare fresh;
    ASSERT_EQ(later.set({"/new", GroupSetting::What::kShare, 5}, nullptr), nullptr);
    later.tell("/new", fresh);
    for (const KeptGroup& group : groups.kept()) EXPECT_NE(fresh.account.load(), group.account);
}

TEST_F(Hierarchy, AGroupsOwnerMaySayIt) {
    make("/mine");
    EXPECT_TRUE(groups.may_set({101, geteuid(), false}, "/mine"));
    EXPECT_FALSE(groups.may_set({101, geteuid() + 1, false}, "/mine"));
    EXPECT_FALSE(groups.may_set({101, geteuid(), false}, "/nowhere"));
    EXPECT_TRUE(groups.may_set({101, geteuid() + 1, true}, "/nowhere"));
}

TEST(Cgroups, SaysWhetherAnythingChanged) {
    Cgroups groups;
    set(groups, "/kube:share=30");
    dispatch::GroupShare share;
    EXPECT_TRUE(groups.tell("/kube/pod", share));
    EXPECT_FALSE(groups.tell("/kube/pod", share));
    set(groups, "/other:share=10");
    EXPECT_FALSE(groups.tell("/kube/pod", share));
    set(groups, "/kube:share=40");
    EXPECT_TRUE(groups.tell("/kube/pod", share));
}

TEST(Cgroups, NobodyEscapesByDeepOrStrangeNames) {
    Cgroups groups;
    set(groups, "/users:device-limit=20");
    EXPECT_EQ(cgroup_in("0::/users/alice\n"), "/users/alice");
    EXPECT_EQ(cgroup_in("1:name=systemd:/x\n0::/\n"), "/");
    EXPECT_EQ(cgroup_in(""), "");
    std::string deep = "/users";
    for (int i = 0; i < 100; ++i) deep += "/" + std::string(97, 'x');
    for (const size_t bytes : {size_t{254}, size_t{255}, size_t{256}, size_t{4095}, deep.size()}) {
        const std::string path =
            cgroup_in("1:name=systemd:" + deep + "0::/elsewhere\n0::" + deep.substr(0, bytes) + "\n");
        EXPECT_EQ(told(groups, path), "0 to 20") << bytes;
        EXPECT_LE(path.size(), 255U);
    }
}

// The server's namespace begins at /kube/node/server.
TEST(Cgroups, GroupsOutsideOfTheServersNamespaceAreFound) {
    const GroupView view{false, "/kube/node/server", {"/mnt"}};
    EXPECT_TRUE(view.is_complete());
    EXPECT_EQ(cgroup_in("0::/\n", view), "/kube/node/server");
    EXPECT_EQ(cgroup_in("0::/child\n", view), "/kube/node/server/child");
    EXPECT_EQ(cgroup_in("0::/../pod\n", view), "/kube/node/pod");
    EXPECT_EQ(cgroup_in("0::/../../other/pod\n", view), "/kube/other/pod");
    EXPECT_EQ(cgroup_in("0::/../../..\n", view), "/");
    EXPECT_EQ(cgroup_in("0::/../../../..\n", view), "") << "there is nothing above";
    EXPECT_EQ(cgroup_in("0::/..strange\n", view), "/kube/node/server/..strange");
    const WholeMount mount = whole_mount(
        "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n31 1 0:26 /../.. /host/cgroup rw - cgroup2 cgroup2 rw\n"
        "32 1 0:27 /../../.. /other rw - tmpfs tmpfs rw\n33 1 0:26 /../sibling /part rw - cgroup2 cgroup2 rw\n");
    EXPECT_EQ(mount.place, "/host/cgroup");
    EXPECT_EQ(mount.depth, 2);
}

TEST_F(Hierarchy, AServerThatDoesNotSeeAGroupRefusesToSetIt) {
    const GroupView blind{false, "", {mount.path()}};
    EXPECT_FALSE(blind.is_complete());
    EXPECT_EQ(cgroup_in("0::/../pod\n", blind), "");
    Cgroups there{blind};
    make("/child");
    EXPECT_NE(there.set(config::read_group_setting("/pod:share=1"), &kRoot), nullptr);
    EXPECT_EQ(there.set(config::read_group_setting("/child:share=1"), &kRoot), nullptr);
}

TEST_F(Hierarchy, AServerThatDoesNotSeeAGroupTakesBackWhatItHadWhenItWasThere) {
    Cgroups there{GroupView{false, "", {mount.path()}}};
    make("/job");
    ASSERT_EQ(set(there, "/job:share=1"), nullptr);
    remove((mount / "job").c_str());
    for (const char* none : {"/job:device-limit=0", "/job:share=0", "/job:highest-priority=255"})
        EXPECT_EQ(set(there, none), nullptr) << none;
    EXPECT_TRUE(there.kept().empty());
}

TEST(Cgroups, NamesAreMadePrintable) {
    EXPECT_EQ(cgroup_in("0::/evil\x1b]0;x\a\xff\n"), "/evil?]0;x??");
    EXPECT_THROW(config::read_group_setting("/evil\x1b[2J:share=1"), std::runtime_error);
}

TEST(Cgroups, WrongSettingsAreSentences) {
    for (const char* wrong :
         {"/g", "/g:share", "/g:share=101", "/g:share=-1", "/g:share=x", "/g:clients=3", "/a/../b:share=1",
          "/a//b:share=1", "/g:share=", "/g:highest-priority=256", "/g:highest-priority=-256"})
        EXPECT_THROW(config::read_group_setting(wrong), std::runtime_error) << wrong;
    EXPECT_THROW(config::read_group_setting("/" + std::string(300, 'x') + ":share=1"), std::runtime_error);
}

}  // namespace
}  // namespace xsched::server

namespace xsched::test {
namespace {

class CgroupShares : public WithServer {};

TEST_F(CgroupShares, AreInTheListAndChangeWhileProgramsRun) {
    const std::string group = server::cgroup_of(getpid());
    if (group.empty()) GTEST_SKIP() << "there is no control group of version 2 here";
    TestClient client;
    ASSERT_TRUE(client.connect(socket(), "program"));
    client.add_queue(0, 0, 0x51);
    TestTool tool(socket());
    Json queue = tool.ask({{"cmd", "list"}})["queues"][0];
    EXPECT_EQ(queue["cgroup"], group);
    EXPECT_FALSE(queue.contains("group_gets"));
    for (const char* setting : {":share=30", ":device-limit=50"}) {
        const Json answer = tool.ask({{"cmd", "limit"}, {"set", group + setting}});
        EXPECT_EQ(answer["ok"], true) << answer;
    }
    queue = tool.ask({{"cmd", "list"}})["queues"][0];
    EXPECT_EQ(queue["group_gets"]["share"], 30);
    EXPECT_EQ(queue["group_gets"]["limit"], 50);
    EXPECT_EQ(tool.ask({{"cmd", "limit"}, {"set", "/a/../b:share=30"}})["ok"], false);
}

}  // namespace
}  // namespace xsched::test
