// Shares and limits of control groups: what is read, who may say it, what counts, and that the server keeps to it.
#include "server/cgroups.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

#include "support/server_rig.h"

namespace xsched::server {
namespace {

constexpr Peer kRoot{100, 0, true};
constexpr Peer kAlice{101, 1000, false};

// "30 to 50"
std::string told(const Cgroups& groups, const std::string& path) {
    dispatch::GroupShare share;
    groups.tell(path, share);
    if (share.account == 0) return "";
    return std::to_string(share.share) + " to " + std::to_string(share.limit);
}

TEST(Cgroups, TheNearestGroupCounts) {
    Cgroups groups;
    EXPECT_EQ(groups.set(Cgroups::read("/kube:share=30"), &kRoot), nullptr);
    EXPECT_EQ(groups.set(Cgroups::read("/kube:device-limit=50"), &kRoot), nullptr);
    EXPECT_EQ(groups.set(Cgroups::read("/kube/pod:share=10"), &kRoot), nullptr);
    EXPECT_EQ(told(groups, "/kube"), "30 to 50");
    EXPECT_EQ(told(groups, "/kube/other"), "30 to 50");
    EXPECT_EQ(told(groups, "/kube/pod/container"), "10 to 100");
    EXPECT_EQ(told(groups, "/kubernetes"), "");
    EXPECT_EQ(told(groups, ""), "");
    EXPECT_EQ(groups.set(Cgroups::read("/kube/pod:share=0"), &kRoot), nullptr);
    EXPECT_EQ(told(groups, "/kube/pod/container"), "30 to 50");
}

TEST(Cgroups, NobodyEscapesWhatWasGivenByAnAdministrator) {
    Cgroups groups;
    groups.set(Cgroups::read("/users:device-limit=20"), &kRoot);
    groups.set(Cgroups::read("/users/alice:share=100"), &kAlice);
    EXPECT_EQ(told(groups, "/users/alice"), "0 to 20");
    EXPECT_NE(groups.set(Cgroups::read("/users:device-limit=90"), &kAlice), nullptr);
}

TEST(Cgroups, AnOrdinaryUserHasSoMany) {
    Cgroups groups;
    for (size_t i = 0; i < Cgroups::kMostOfUser; ++i)
        EXPECT_EQ(groups.set(Cgroups::read("/g" + std::to_string(i) + ":share=1"), &kAlice), nullptr);
    EXPECT_NE(groups.set(Cgroups::read("/more:share=1"), &kAlice), nullptr);
    EXPECT_EQ(groups.set(Cgroups::read("/more:share=1"), &kRoot), nullptr);
}

TEST(Cgroups, WrongSettingsAreSentences) {
    for (const char* wrong : {"/g", "/g:share", "/g:share=101", "/g:share=-1", "/g:share=x", "/g:clients=3",
                              "/a/../b:share=1", "/a//b:share=1", "/g:share="})
        EXPECT_THROW(Cgroups::read(wrong), std::runtime_error) << wrong;
    EXPECT_THROW(Cgroups::read("/" + std::string(300, 'x') + ":share=1"), std::runtime_error);
}

TEST(Cgroups, AGroupsOwnerMaySayIt) {
    EXPECT_TRUE(Cgroups::may_set(kRoot, "/nowhere"));
    EXPECT_FALSE(Cgroups::may_set(kAlice, "/nowhere"));
}

}  // namespace
}  // namespace xsched::server

namespace xsched::test {
namespace {

class CgroupShares : public WithServer {};

TEST_F(CgroupShares, AreInTheListAndChangeWhileProgramsRun) {
    const std::string group = server::cgroup_of(getpid());
    if (group.empty()) GTEST_SKIP() << "there is no control group of version 2 here";
    start();
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
