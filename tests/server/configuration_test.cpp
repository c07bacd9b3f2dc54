// Configuration files as the server reads them: at its start and when it is told to read them again.
#include "server/configured.h"
#include "support/server_rig.h"
#include "support/text.h"

namespace xsched::test {
namespace {

class WithConfiguration : public WithServer {
protected:
    void SetUp() override {}
    void write(const std::string& text, const std::string& name = "etc/x.toml") { make_file(directory / name, text); }
    // Tells the server to read its configuration again. Returns whether its log has the text soon.
    bool reload(const std::string& said) {
        kill(server->pid(), SIGHUP);
        return server->logs(said);
    }
    std::string policy() { return answer_of_server(socket(), {{"cmd", "policy"}}).value("policy", ""); }
    Json setting(const std::string& name) {
        return answer_of_server(socket(), {{"cmd", "configuration"}})["settings"][name];
    }
    // Returns the most urgent priority that the user may have; -1: the server says nothing of the user.
    int64_t highest_of(uid_t uid) {
        const Json answer = answer_of_server(socket(), {{"cmd", "limits"}});
        for (const Json& user : answer["users"])
            for (const Json& limit : user["limits"])
                if (user["uid"] == uid && limit["name"] == "highest-priority") return limit["most"];
        return -1;
    }
};

TEST_F(WithConfiguration, FilesGiveWayToTheEnvironmentAndThatToFlags) {
    write("[server]\npolicy = \"UP\"\nstarvation_limit_ms = 500\nclaim_limit_ms = 300\n");
    Environment environment = directory.environment();
    environment["XSERVER_STARVATION_LIMIT_MS"] = "600";
    environment["XSERVER_CLAIM_LIMIT_MS"] = "700";
    server = std::make_unique<ServerProcess>(
        directory, std::vector<std::string>{"--claim-limit-ms", "800", "--limit", "clients=7"}, environment);
    ASSERT_TRUE(server->ready()) << server->process().err();
    EXPECT_EQ(policy(), "UP");
    EXPECT_EQ(setting("server.policy"), (Json{{"value", "UP"}, {"source", directory / "etc/x.toml:2"}}));
    EXPECT_EQ(setting("server.starvation_limit_ms"),
              (Json{{"value", "600"}, {"source", "XSERVER_STARVATION_LIMIT_MS"}}));
    EXPECT_EQ(setting("server.claim_limit_ms"), (Json{{"value", "800"}, {"source", "--claim-limit-ms"}}));
    EXPECT_EQ(setting("server.spin_us"), (Json{{"value", "-1"}})) << "a default has no source";
}

TEST_F(WithConfiguration, ABadVariableIsNamedAndTheServerStarts) {
    Environment environment = directory.environment();
    environment["XSERVER_POLICY"] = "UPP";
    environment["XSCHED_POLICY"] = "HPFF";
    server = std::make_unique<ServerProcess>(directory, std::vector<std::string>{}, environment);
    ASSERT_TRUE(server->ready()) << server->process().err();
    EXPECT_EQ(policy(), "HPF");
    const std::string said = server->process().err();
    EXPECT_NE(said.find("xserver: XSERVER_POLICY: "), std::string::npos) << said;
    EXPECT_NE(said.find("xserver: XSCHED_POLICY=HPFF is for programs and has no effect on a server (did you mean "
                        "\"HPF\"?): write 'xserver NAME' or XSERVER_POLICY=NAME\n"),
              std::string::npos)
        << said;
}

TEST_F(WithConfiguration, AMisspeltVariableIsNamedOnce) {
    Environment environment = directory.environment();
    environment["XSERVER_POLCY"] = "UP";
    environment["XSERVER_SOCKET"] = "/nowhere";
    environment["XSERVER_BUILD"] = "1";
    server = std::make_unique<ServerProcess>(directory, std::vector<std::string>{}, environment);
    ASSERT_TRUE(server->ready()) << server->process().err();
    const std::string said = server->process().err();
    for (const char* sentence :
         {"XSERVER_POLCY is no variable of XSched and has no effect (did you mean \"XSERVER_POLICY\"?)",
          "XSERVER_SOCKET is no variable of XSched and has no effect (did you mean \"XSCHED_SOCKET\"?)"}) {
        EXPECT_NE(said.find(sentence), std::string::npos) << said;
        EXPECT_EQ(said.find(sentence), said.rfind(sentence)) << said;
    }
    EXPECT_EQ(said.find("XSERVER_BUILD"), std::string::npos) << "near none of ours: " << said;
}

TEST_F(WithConfiguration, ABadFileIsNamedAndTheServerStarts) {
    write("[server]\npolicy = \"UPP\"\nspin_us = 0\n");
    start();
    EXPECT_EQ(policy(), "HPF");
    EXPECT_EQ(setting("server.spin_us")["value"], "0");
    EXPECT_TRUE(server->logs("x.toml:2: policy is to be one of")) << server->process().err();
}

TEST_F(WithConfiguration, ReloadChangesWhatTheFilesSayOtherwise) {
    write("[server]\npolicy = \"UP\"\n[limits]\nhighest_priority = 50\n[limits.user.12345]\nhighest_priority = 20\n");
    start();
    TestClient client(socket());
    ASSERT_EQ(highest_of(12345), 20);
    write("[server]\npolicy = \"PUP\"\nspin_us = 0\n[limits.user.12345]\nhighest_priority = 30\n");
    ASSERT_TRUE(
        reload("the configuration is read again: server.policy = PUP, server.spin_us = 0 (from the next start "
               "on), 2 limits changed, 0 rules"))
        << server->process().err();
    EXPECT_EQ(policy(), "PUP");
    EXPECT_EQ(highest_of(12345), 30);
    const Json spin = setting("server.spin_us");
    EXPECT_EQ(spin["value"], "-1") << "as at the start";
    EXPECT_EQ(spin["next_start"]["value"], "0");
    EXPECT_TRUE(has(spin["next_start"].value("source", ""), "x.toml:3")) << spin;
    write("");
    ASSERT_TRUE(reload("server.policy = HPF")) << server->process().err();
    EXPECT_FALSE(setting("server.spin_us").contains("next_start")) << "the files have the value in force again";
    EXPECT_EQ(highest_of(12345), 127) << "the usual one";
}

TEST_F(WithConfiguration, ReloadLeavesOrdersAtRunTimeAlone) {
    write("[server]\npolicy = \"UP\"\n");
    start();
    ASSERT_TRUE(answer_of_server(socket(), {{"cmd", "policy"}, {"name", "PUP"}}).value("ok", false));
    ASSERT_TRUE(reload("the configuration is read again: 0 limits changed, 0 rules")) << server->process().err();
    EXPECT_EQ(policy(), "PUP");
    EXPECT_EQ(setting("server.policy"), (Json{{"value", "PUP"}, {"source", "xcli policy"}}));
}

TEST_F(WithConfiguration, ABadFileChangesNothing) {
    write("[server]\npolicy = \"UP\"\n");
    start();
    write("[server]\npolicy = \"PUP\"\nspin_ms = 3\n");
    ASSERT_TRUE(reload("the configuration is as before")) << server->process().err();
    EXPECT_TRUE(server->logs("x.toml:3: [server] has no \"spin_ms\" (did you mean \"spin_us\"?)"))
        << server->process().err();
    EXPECT_EQ(policy(), "UP");
}

TEST_F(WithConfiguration, AUsersFileCountsForTheUsersServer) {
    write("[server]\npolicy = \"UP\"\n");
    write("[server]\npolicy = \"PUP\"\n", "own/x.toml");
    start();
    EXPECT_EQ(policy(), "PUP");
    EXPECT_EQ(server->stop(), 0);
    start({"--system"});
    EXPECT_EQ(policy(), "UP") << "a server for all users reads no user's files";
}

TEST(Configured, AFlagOfAPolicyReplacesALineInAFile) {
    const TemporaryDirectory directory;
    make_file(directory / "x.toml", "[server]\npolicy_expr = \"priority desc\"\n");
    const WithEnvironment environment(Environment{{"XSCHED_CONFIG", directory.path()}});
    server::Options options;
    server::take_configuration(options, server::read_configuration(options));
    EXPECT_EQ(options.policy_line, "priority desc");
    options.flags["server.policy"] = "UP";
    server::take_configuration(options, server::read_configuration(options));
    EXPECT_EQ(options.policy_line, "");
    EXPECT_EQ(options.policy, "UP");
}

}  // namespace
}  // namespace xsched::test
