// xcli limit says what it did and how to take that back, and xcli status --limits shows all that was said.
#include <pwd.h>

#include <regex>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Limits : public WithCli {
protected:
    void SetUp() override { start(); }
    // Returns "most" of a limit of this user.
    int64_t most(const std::string& name) {
        const Json answer = xcli({"status", "--limits", "--json"}).json();
        for (const Json& user : answer["users"])
            for (const Json& limit : user["limits"])
                if (user["uid"] == geteuid() && limit["name"] == name) return limit["most"];
        return -1;
    }
    Json groups() { return xcli({"status", "--limits", "--json"}).json()["groups"]; }
    const std::string me = getpwuid(geteuid())->pw_name;
};

TEST_F(Limits, AreTakenBackAsTheAnswerSays) {
    const int64_t before = most("clients");
    const Outcome set = xcli({"limit", me + ":clients=5"});
    EXPECT_EQ(set.out, "limit " + me + ":clients=5; 'xcli limit " + me + ":clients=default' takes it back\n");
    EXPECT_EQ(most("clients"), 5);
    EXPECT_EQ(xcli({"limit", me + ":clients=default"}).out, "limit " + me + ":clients taken back\n");
    EXPECT_EQ(most("clients"), before);
}

TEST_F(Limits, OfEveryOrdinaryUserAreShownWithTheWayBack) {
    const auto ordinary = [this] {
        const Json answer = xcli({"status", "--limits", "--json"}).json();
        for (const Json& limit : answer["limits"])
            if (limit["name"] == "share") return std::pair(limit["ordinary"], limit.value("set", Json()));
        return std::pair(Json(), Json());
    };
    const std::string way_back = "limit share=20; 'xcli limit share=default' takes it back\n";
    EXPECT_EQ(xcli({"limit", "share=20"}).out, way_back);
    const std::string shown = xcli({"status", "--limits"}).out;
    EXPECT_TRUE(has(shown, "ordinary users")) << shown;
    EXPECT_TRUE(has(shown, way_back)) << shown;
    EXPECT_EQ(ordinary(), std::pair(Json(20), Json(20)));
    ASSERT_EQ(xcli({"limit", "share=default"}).status, 0);
    EXPECT_FALSE(has(xcli({"status", "--limits"}).out, "takes it back"));
    EXPECT_EQ(ordinary(), std::pair(Json(0), Json()));
}

// "0" would read as "nothing at all", and "100" as something that a person set.
TEST_F(Limits, ThatAreNotSetAreNone) {
    const auto shown = [this](const std::string& name) {
        const std::string all = xcli({"status", "--limits"}).out;
        std::smatch row;
        return std::regex_search(all, row, std::regex(me + " +" + name + " +\\S+ +(\\S+)")) ? row[1].str() : all;
    };
    for (const char* name : {"share", "device-limit", "memory-limit", "memory-guarantee"})
        EXPECT_EQ(shown(name), "none") << name;
    EXPECT_EQ(most("share"), 0);
    ASSERT_EQ(xcli({"limit", me + ":memory-limit=1GiB"}).status, 0);
    EXPECT_EQ(shown("memory-limit"), "1GiB");
    EXPECT_NE(shown("clients"), "none");
}

TEST_F(Limits, OfAUserAreShownWithTheWayBack) {
    ASSERT_EQ(xcli({"limit", me + ":clients=5"}).status, 0);
    const std::string shown = xcli({"status", "--limits"}).out;
    EXPECT_TRUE(has(shown, "limit " + me + ":clients=5; 'xcli limit " + me + ":clients=default' takes it back\n"))
        << shown;
}

TEST_F(Limits, AreAnsweredAsTheyWereTyped) {
    expect_sentence({"limit", me + ":share=300"}, "write " + me + ":share=30");
    expect_sentence({"limit", "/a:share=300"}, "write /a:share=30");
    expect_sentence({"limit", "nobody-of-this-name:share=30"}, "there is no user \"nobody-of-this-name\"");
    expect_sentence({"limit", ""}, "the name of the limit is empty");
}

TEST_F(Limits, NameUsers) {
    const std::string shown = xcli({"status", "--limits"}).out;
    EXPECT_TRUE(has(shown, "USER OR GROUP")) << shown;
    EXPECT_TRUE(has(shown, me + " ")) << shown;
}

TEST_F(Limits, OfAGroupThatIsNotThereAreShownAsWaiting) {
    const std::string waits = "control group /not/there is not there: what it is given waits for it\n";
    const Outcome set = xcli({"limit", "/not/there:share=30"});
    if (set.status == 5) GTEST_SKIP() << "this server sees no groups: " << set.err;
    EXPECT_EQ(set.err, "xcli: policy HPF does not use share to decide who runs; PUP, SPUP do\nxcli: " + waits);
    expect_sentence({"limit", me + ":limit=30"}, "a program 'xcli hint PROGRAM --limit NUMBER'");
    const std::string shown = xcli({"status", "--limits"}).out;
    EXPECT_TRUE(has(shown, "/not/there ")) << shown;
    EXPECT_TRUE(has(shown, waits)) << shown;
    const Json group{
        {"path", "/not/there"}, {"waits", true}, {"limits", {{{"name", "share"}, {"unit", "percent"}, {"most", 30}}}}};
    EXPECT_EQ(groups(), Json::array({group}));
    EXPECT_EQ(xcli({"limit", "/not/there:device-limit=50"}).err, "xcli: " + waits);
    EXPECT_EQ(xcli({"limit", "/not/there:device-limit=0"}).err, "xcli: " + waits) << "it has a share";
    EXPECT_EQ(xcli({"limit", "/not/there:share=default"}).err, "");
    EXPECT_EQ(groups(), Json::array());
}

TEST_F(Limits, OfAUserThatThisMachineDoesNotKnowAreRemarkedOn) {
    constexpr uid_t kNoUser = 1'234'567;
    if (getpwuid(kNoUser) != nullptr) GTEST_SKIP() << "this machine has a user " << kNoUser;
    EXPECT_TRUE(
        has(xcli({"limit", "1234567:share=30"}).err, "this machine knows no user 1234567: the limit counts for"));
}

TEST_F(Limits, OfFewBytesAreRemarkedOn) {
    EXPECT_EQ(xcli({"limit", me + ":memory-limit=20"}).err,
              "xcli: " + me + ":memory-limit=20 means 20 bytes: say 20GiB or 20MiB\n");
    EXPECT_EQ(xcli({"limit", me + ":memory-limit=20GiB"}).err, "");
    EXPECT_EQ(xcli({"limit", me + ":clients=20"}).err, "");
}

}  // namespace
}  // namespace xsched::test
