#include <map>
#include <regex>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class ShowConfig : public WithCli {
protected:
    void write(const std::string& text, const std::string& name = "etc/x.toml") { make_file(directory / name, text); }
    // Returns what xcli config says of a setting.
    Json shown(const std::string& name, const Environment& environment = {}) {
        const Json answer = xcli({"config", "--json"}, environment).json();
        for (const Json& one : answer["settings"])
            if (one["name"] == name) return {one["value"], one["source"]};
        return {};
    }
};

TEST_F(ShowConfig, TellsEachValueAndWhereItComesFrom) {
    write("[server]\npolicy = \"UP\"\n[options]\ncopy_piece = -1\n[limits]\nhighest-priority = 50\n");
    write("[options]\ncopy_piece = 0\n", "own/y.toml");
    EXPECT_EQ(shown("server.policy"), (Json{"UP", directory / "etc/x.toml:2"}));
    EXPECT_EQ(shown("options.copy_piece"), (Json{"0", directory / "own/y.toml:2"})) << "the user's file is later";
    EXPECT_EQ(shown("options.copy_piece", {{"XSCHED_COPY_PIECE", "4096"}}), (Json{"4096", "XSCHED_COPY_PIECE"}));
    EXPECT_EQ(shown("limits highest-priority"), (Json{"50", directory / "etc/x.toml:6"}));
    EXPECT_EQ(shown("server.spin_us"), (Json{"-1", "default"}));
    EXPECT_TRUE(has(xcli({"config"}).out, "none answers")) << "no server runs";
}

TEST_F(ShowConfig, ARunningServerSaysWhatItUses) {
    start({"--starvation-limit-ms", "77"});
    EXPECT_EQ(shown("server.starvation_limit_ms"), (Json{"77", "--starvation-limit-ms"}));
    for (const char* seconds : {"60", "0.5"}) {
        server->stop();
        start({"--idle-exit", seconds});
        const std::string row = std::string("server\\.idle_exit +") + seconds + " s +--idle-exit";
        EXPECT_TRUE(std::regex_search(xcli({"config"}).out, std::regex(row))) << row << xcli({"config"}).out;
    }
}

TEST_F(ShowConfig, TellsWhatWaitsForTheServersNextStart) {
    start();
    write("[server]\nstarvation_limit_ms = 500\n");
    ASSERT_TRUE(answer_of_server(socket(), {{"cmd", "rules"}, {"reload", true}}).value("ok", false));
    EXPECT_EQ(shown("server.starvation_limit_ms"), (Json{"1000", "default"}));
    const std::string table = xcli({"config"}).out;
    EXPECT_TRUE(std::regex_search(table, std::regex("server\\.starvation_limit_ms +1000 ms +default\n"))) << table;
    EXPECT_TRUE(has(table, "server.starvation_limit_ms: 500 ms from the server's next start on (" +
                               (directory / "etc/x.toml:2") + ")\n"))
        << table;
}

TEST_F(ShowConfig, TellsWhatWaitsForAReload) {
    write("[server]\npolicy = \"UP\"\n[limits]\nshare = 30\n");
    start();
    EXPECT_EQ(shown("limits share"), (Json{"30", directory / "etc/x.toml:4"}));
    write("[server]\npolicy = \"PUP\"\n[limits]\nshare = 40\ntools = 7\n");
    EXPECT_EQ(shown("server.policy"), (Json{"UP", directory / "etc/x.toml:2"}));
    EXPECT_EQ(shown("limits share"), (Json{"30", directory / "etc/x.toml:4"}));
    const std::string table = xcli({"config"}).out;
    for (const char* line : {"server.policy: PUP once the server has read its files again, by 'xcli rules load' (",
                             "share: 40 percent once the server", "tools: 7 connections once the server"})
        EXPECT_TRUE(has(table, line)) << line << "\n" << table;
}

TEST_F(ShowConfig, ALimitThatIsTakenBackIsTheFilesAgain) {
    write("[limits]\nhighest-priority = 50\n");
    start();
    EXPECT_EQ(xcli({"limit", "highest-priority=2"}).status, 0);
    EXPECT_EQ(shown("limits highest-priority"), (Json{"2", "xcli limit"}));
    EXPECT_EQ(xcli({"limit", "highest-priority=default"}).out,
              "limit highest-priority taken back: 50 again, as configured\n");
    EXPECT_EQ(shown("limits highest-priority"), (Json{"50", directory / "etc/x.toml:2"}));
    EXPECT_EQ(answer_of_server(socket(), {{"cmd", "limit"}, {"set", "no such=default"}}).value("ok", true), false);
    const Json limits = xcli({"status", "--limits", "--json"}).json()["limits"];
    for (const Json& limit : limits)
        EXPECT_TRUE(limit["name"] != "highest-priority" || limit["ordinary"] == 50) << limit;
}

TEST_F(ShowConfig, ThePeoplesTableHasUnitsAndWords) {
    write(
        "[server]\nstarvation_limit_ms = 0\nflight_recorder = false\n[limits]\nshare = 20\nmemory-limit = "
        "\"1GiB\"\nhighest-priority = 50\n");
    const std::string table = xcli({"config"}, {{"XLOG_LEVEL", ""}}).out;
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"server.starvation_limit_ms", "no limit"},
                                            {"server.claim_limit_ms", "2000 ms"},
                                            {"server.flight_recorder", "false"},
                                            {"server.idle_exit", "never; 60 s if 'xcli run' starts it"},
                                            {"options.log_level", "INFO; WARN for programs of 'xcli run'"},
                                            {"options.start_server", "true"},
                                            {"options.level", "the highest used unasked"},
                                            {"limits share", "20 percent"},
                                            {"limits memory-limit", "1GiB"},
                                            {"limits highest-priority", "50"}})
        EXPECT_TRUE(std::regex_search(table, std::regex("\n" + name + " +" + value + "  +"))) << name << "\n" << table;
    EXPECT_EQ(shown("server.starvation_limit_ms")[0], "0") << "JSON has numbers";
    write("[server]\nidle_exit = 7\n[options]\nlog_file = \"/tmp/x.log\"\n");
    const std::string told = xcli({"config"}, {{"XLOG_LEVEL", ""}}).out;
    EXPECT_TRUE(std::regex_search(told, std::regex("\nserver.idle_exit +7 s  +")));
    EXPECT_TRUE(std::regex_search(told, std::regex("\noptions.log_level +INFO  +default"))) << "a log file has it all";
}

TEST_F(ShowConfig, ChecksAFile) {
    write("[server]\npolicy = UP\nstarvation_limit_ms = 5\n[option]\n");
    const Outcome bad = xcli({"config", "check", directory / "etc/x.toml"});
    EXPECT_EQ(bad.status, 1);
    EXPECT_TRUE(has(bad.err, directory / "etc/x.toml:2: this is no TOML")) << bad.err;
    EXPECT_TRUE(has(bad.err, "write policy = \"UP\"")) << bad.err;
    EXPECT_TRUE(has(bad.err,
                    ":4: there is no \"option\": use [server], [options], [limits] and [[rule]] (did you mean "
                    "\"options\"?)"))
        << bad.err;
    write("[server]\npolicy = \"UP\"\n");
    const Outcome good = xcli({"config", "check", directory / "etc/x.toml"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_TRUE(has(good.out, "nothing is wrong (1 setting, 0 limits, 0 rules)")) << good.out;
    EXPECT_EQ(xcli({"config", "check", directory / "none"}).status, 1);
}

TEST_F(ShowConfig, ChecksAllFilesThatAreReadInTheOrderOfTheirLines) {
    EXPECT_TRUE(has(xcli({"config", "check"}).out, "there is no configuration file: none is in " + directory.path()));
    write("[server]\nspin_us = many\n[limits]\nshares = 3\n[server]\nx = 1\n");
    write("[[rule]]\nname = \"a\"\npriority = 3\n[option]\nx = 1\n[[rule]]\nname = 5\n", "own/y.toml");
    const Outcome bad = xcli({"config", "check"});
    EXPECT_EQ(bad.status, 1);
    size_t at = 0;
    for (const char* place :
         {"etc/x.toml:2: ", "etc/x.toml:4: ", "etc/x.toml:5: ", "own/y.toml:4: ", "own/y.toml:7: "}) {
        const size_t found = bad.err.find(place);
        EXPECT_NE(found, std::string::npos) << place << " in " << bad.err;
        EXPECT_GE(found, at) << place << " in " << bad.err;
        at = found;
    }
    write("[server]\npolicy = \"UP\"\n");
    write("[[rule]]\nname = \"a\"\nutilization = 3\n", "own/y.toml");
    const Outcome good = xcli({"config", "check"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_TRUE(has(good.out, "etc/x.toml: nothing is wrong (1 setting, 0 limits, 0 rules)\n")) << good.out;
    EXPECT_TRUE(has(good.out, "own/y.toml: nothing is wrong (0 settings, 0 limits, 1 rule)\n")) << good.out;
    EXPECT_EQ(xcli({"config", "check", "--json"}).json()["files"].size(), 2U);
}

TEST_F(ShowConfig, CheckSaysWhatTheConfiguredPolicyIgnores) {
    write("[limits]\nshare = 20\n[limits.user.root]\nhighest_priority = 3\n[[rule]]\nname = \"a\"\nshare = 3\n");
    const Outcome outcome = xcli({"config", "check"});
    EXPECT_EQ(outcome.status, 0) << "it is not wrong: " << outcome.err;
    for (const char* line :
         {"x.toml:2: policy HPF does not use share to decide", "x.toml:5: policy HPF does not use share to decide"})
        EXPECT_TRUE(has(outcome.err, line)) << outcome.err;
    write("[server]\nx = 1\n", "etc/y.toml");
    write("[limits]\nshare = 20\nshares = 3\n[[rule]]\nname = \"a\"\nshare = 3\nshar = 4\n");
    std::istringstream lines(xcli({"config", "check"}).err);
    for (const char* place : {"x.toml:2: ", "x.toml:3: ", "x.toml:4: ", "x.toml:7: ", "y.toml:2: "}) {
        std::string line;
        std::getline(lines, line);
        EXPECT_TRUE(has(line, place)) << place << ": what is ignored stands in the order of the lines too: " << line;
    }
    write("[limits]\nshare = 20\n[[rule]]\nname = \"a\"\nshare = 3\n");
    write("[server]\npolicy = \"PUP\"\n", "etc/y.toml");
    EXPECT_EQ(xcli({"config", "check"}).err, "");
    EXPECT_EQ(xcli({"config", "check", directory / "etc/x.toml"}).err, "") << "the other file has the policy";
}

}  // namespace
}  // namespace xsched::test
