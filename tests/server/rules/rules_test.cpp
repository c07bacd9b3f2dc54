// Rules by program, as the server gives them to programs that connect.
#include "ipc/slot_hints.h"
#include "support/server_rig.h"
#include "support/text.h"

namespace xsched::test {
namespace {

class Rules : public WithServer {
protected:
    void SetUp() override {}
    void write(const std::string& text) { make_file(directory / "etc/x.toml", text); }
    // Returns the hints of a new client's header; `told`: those that it has told itself.
    base::Hints hints_of(TestClient& client, uint32_t told = 0) {
        base::Hints hints;
        ipc::take_defaults(client.header(), hints, told);
        return hints;
    }
    Json load(const Json& rules) { return answer_of_server(socket(), {{"cmd", "rules"}, {"set", rules}}); }
};

// A program gets the hints of the rule with its name; this test program is called test_server.
TEST_F(Rules, AProgramGetsTheHintsOfItsRule) {
    write("[[rule]]\nname = \"test_server\"\npriority = -10\nshare = 30\n[[rule]]\nname = \"other\"\npriority = 9\n");
    start();
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(hints_of(client).priority, -10);
    EXPECT_EQ(hints_of(client).share, 30);
    const uint32_t told = ipc::bit_of(base::HintId::priority);
    EXPECT_EQ(hints_of(client, told).priority, 0) << "a program's own hint comes first";
    EXPECT_TRUE(server->logs("gets priority -10 ("));
}

TEST_F(Rules, PathArgumentsAndUserAreLookedAt) {
    write("[[rule]]\npath = \"*/bin/test_server\"\narguments = \"*test_server*\"\nuser = " + std::to_string(geteuid()) +
          "\npriority = 4\n[[rule]]\narguments = \"*no-such-word*\"\npriority = 5\n");
    start();
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(hints_of(client).priority, 4);
}

TEST_F(Rules, AProgramThatIsNeverScheduledIsRefused) {
    write("[[rule]]\nname = \"test_server\"\nnever = true\n");
    start();
    TestClient client(socket());
    EXPECT_FALSE(client.connected());
    EXPECT_EQ(client.welcome().status, ipc::WelcomeStatus::kNever);
}

TEST_F(Rules, ACeilingHoldsWhateverTheProgramSays) {
    write("[[rule]]\nname = \"test_server\"\nhighest_priority = 5\n");
    start();
    TestClient capped(socket());
    ASSERT_TRUE(capped.connected());
    write("");
    ASSERT_EQ(kill(server->pid(), SIGHUP), 0);
    ASSERT_TRUE(server->logs("0 rules"));
    TestClient free(socket());
    ASSERT_TRUE(free.connected());
    capped.add_queue(0, 100, 0x1);
    free.add_queue(0, 50, 0x2);
    capped.submit(0);
    free.submit(0);
    EXPECT_TRUE(capped.becomes_suspended(0, true)) << "100 counts as 5";
}

// The server of all users reads no user's files: the user's tool hands them over.
TEST_F(Rules, AUsersToolHandsOverTheUsersRules) {
    start({"--system"});
    const Json rules{{{"place", "/own/x.toml:3"}, {"rule", {{"name", "test_server"}, {"priority", 7}}}}};
    const Json answer = load(rules);
    ASSERT_TRUE(answer.value("ok", false)) << answer;
    EXPECT_EQ(answer["rules"], rules);
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(hints_of(client).priority, 7);
    ASSERT_TRUE(load(Json::array()).value("ok", false));
    TestClient later(socket());
    ASSERT_TRUE(later.connected());
    EXPECT_EQ(hints_of(later).priority, 0);
}

TEST_F(Rules, AUsersRulesAreForTheUsersOwnPrograms) {
    NEEDS_ROOT("to become another user");
    start({"--system"});
    chmod(directory.path().c_str(), 0755);
    const Json rules{{{"place", "/own/x.toml:3"}, {"rule", {{"name", "*"}, {"priority", 7}}}}};
    EXPECT_EQ(as_nobody([&] { return load(rules).value("ok", false) ? 0 : 1; }), 0);
    TestClient client(socket());
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(hints_of(client).priority, 0);
    EXPECT_EQ(answer_of_server(socket(), {{"cmd", "rules"}})["rules"], Json::array()) << "nor are they shown";
    EXPECT_EQ(as_nobody([&] {
                  TestClient own(socket());
                  return own.connected() && hints_of(own).priority == 7 ? 0 : 1;
              }),
              0);
}

TEST_F(Rules, WrongOrTooManyRulesAreRefused) {
    start({"--system"});
    const auto refused = [&](const Json& rules) { return load(rules).value("error", ""); };
    const auto rule = [](const Json& says) { return Json{{{"place", "x:1"}, {"rule", says}}}; };
    EXPECT_EQ(refused(3), "rules: they are to be a list");
    EXPECT_TRUE(has(refused(rule({{"name", "a"}, {"user", "root"}})), "your own rules are for your own programs"));
    EXPECT_TRUE(has(refused(rule({{"name", "a"}, {"highest_priority", 3}})), "only the administrator's rules"));
    EXPECT_TRUE(has(refused(rule({{"priority", 3}})), "for which programs"));
    EXPECT_TRUE(has(refused(rule({{"name", std::string(200, 'a')}})), "64 patterns of 128 letters at most"));
    Json many = Json::array();
    for (int i = 0; i < 33; ++i) many.push_back({{"place", "x:1"}, {"rule", {{"name", "a"}}}});
    EXPECT_TRUE(has(refused(many), "a user has 32 rules at most"));
    EXPECT_TRUE(has(refused(Json{{{"rule", {{"name", {{{"a", 1}}}}}}}}), "name is to be a text"));
}

}  // namespace
}  // namespace xsched::test
