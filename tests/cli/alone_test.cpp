// xcli without a server, or with one that does not answer: what it says, and what needs none.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <map>
#include <regex>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "cli/cli_rig.h"
#include "cli/fit.h"

namespace xsched::test {
namespace {

class Alone : public WithCli {};

TEST_F(Alone, WithoutAServerEachCommandSaysWhatToDo) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"list"},
                                                                                       {"status"},
                                                                                       {"top"},
                                                                                       {"server"},
                                                                                       {"policy", "-q"},
                                                                                       {"hint", "-x", "1", "-p", "1"},
                                                                                       {"config", "-x", "1", "-t", "1"},
                                                                                       {"suspend", "1"},
                                                                                       {"resume", "1"}})
        expect_sentence(
            words, "no xserver answers at " + socket() + ": start a program with 'xcli run', or start 'xserver'", 3);
}

TEST_F(Alone, OptionsNeedNoServer) {
    const Outcome outcome = xcli({"options"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(has(outcome.out, "XSCHED_AUTO_XQUEUE_PRIORITY"));
    EXPECT_TRUE(has(outcome.out, "XLOG_LEVEL"));
    EXPECT_FALSE(has(outcome.out, "foresight")) << "switches for the laboratory stand apart";
    EXPECT_TRUE(has(xcli({"options", "--debug"}).out, "foresight"));
    EXPECT_FALSE(has(xcli({"options", "--debug"}).out, "XLOG_LEVEL"));
    const Json json = xcli({"options", "--json"}).json();
    EXPECT_GT(json["options"].size(), 10U);
}

TEST_F(Alone, PoliciesAreListedWithoutAServer) {
    const Outcome outcome = xcli({"policy", "-n"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* name : {"HPF ", "PUP ", "AUTO "}) EXPECT_TRUE(has(outcome.out, name)) << outcome.out;
    EXPECT_TRUE(has(xcli({"complete", "POLICY"}).out, "HPF\t"));
    expect_sentence({"run", "--scheduler", "local", "--policy", "HPFF", "--", "/bin/true"},
                    "there is no policy \"HPFF\" (did you mean \"HPF\"?)");
    expect_sentence({"run", "--scheduler", "app", "--policy", "HPF", "--", "/bin/true"},
                    "--policy has no effect with --scheduler app");
}

TEST_F(Alone, AWordOfAFixedSetIsNamedWithTheOneThatIsMeant) {
    const std::pair<std::vector<std::string>, std::string> all[] = {
        {{"run", "--scheduler", "lokal", "--", "/bin/true"},
         "--scheduler: there is no scheduler \"lokal\" (did you mean \"local\"?): use one of global, local, app"},
        {{"run", "--log", "WORN", "--", "/bin/true"}, "there is no level \"WORN\" (did you mean \"WARN\"?)"},
        {{"log", "WORN"}, "there is no level \"WORN\" (did you mean \"WARN\"?)"},
        {{"top", "--sort", "prio"}, "there is no order \"prio\" (did you mean \"priority\"?)"},
        {{"pool", "stat"}, "there is no order \"stat\" (did you mean \"start\"?)"},
        {{"container", "cdj"}, "there is no form \"cdj\" (did you mean \"cdi\"?)"},
        {{"completion", "bahs"}, "there is no shell \"bahs\" (did you mean \"bash\"?)"},
        {{"doctor", "--run", "--platform", "cuba"}, "--platform cuba is none (did you mean \"cuda\"?): use one of "}};
    for (const auto& [words, sentence] : all) expect_sentence(words, sentence);
}

TEST_F(Alone, AServerWithoutProgramsSaysWhatToDo) {
    start();
    const std::string line = "no queue is scheduled: start a program with 'xcli run -- PROGRAM'\n";
    EXPECT_EQ(xcli({"list"}).out.find(line), 0U) << xcli({"list"}).out;
    EXPECT_EQ(xcli({"list", "--wide"}).out.find(line), 0U) << xcli({"list", "--wide"}).out;
    EXPECT_EQ(xcli({"list", "--json"}).json()["queues"], Json::array());
}

// A program has one name, as long as 80 columns have room for it.
TEST_F(Alone, ListAndStatusCallAProgramTheSame) {
    start();
    TestClient program, other;
    ASSERT_TRUE(program.connect(socket(), "python3 late.py"));
    program.add_queue(0, 0, 0xab1);
    EXPECT_TRUE(has(xcli({"status"}).out, "python3 late.py"));
    EXPECT_TRUE(has(xcli({"list"}).out, " python3 late.py ")) << xcli({"list"}).out;
    ASSERT_TRUE(other.connect(socket(), "python3 a_script_with_a_name_of_many_letters.py"));
    other.add_queue(0, 0, 0xab2);
    for (const std::string& line : cli::lines_of(xcli({"list"}).out)) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_TRUE(has(xcli({"list"}).out, " python3 late.py ")) << xcli({"list"}).out;
}

TEST_F(Alone, ThePageSaysAtTheTerminalThatNoServerRuns) {
    const std::vector<std::string> words{binary("xcli"), "web", "--listen", directory / "web"};
    const std::string said = "xcli: no xserver answers at " + socket() +
                             ": start a program with 'xcli run', or start 'xserver'; the page stays empty until a "
                             "server answers, and then shows its programs\n";
    Process alone(words, directory.environment());
    EXPECT_TRUE(eventually([&] { return alone.err() == said; })) << alone.err();
    kill(alone.pid(), SIGTERM);
    EXPECT_EQ(alone.wait(), 0);
    start();
    Process beside(words, directory.environment());
    ASSERT_TRUE(beside.wait_for_output("page and API at"));
    kill(beside.pid(), SIGTERM);
    EXPECT_EQ(beside.wait(), 0);
    EXPECT_EQ(beside.err(), "");
}

TEST_F(Alone, TheServersFactsHaveUnitsAndWords) {
    start({"--idle-exit", "90", "--starvation-limit-ms", "0", "--spin-us", "70"});
    const std::string shown = xcli({"server"}).out;
    for (const auto& [name, value] : std::map<std::string, std::string>{{"idle exit", "90 s"},
                                                                        {"starvation limit", "no limit"},
                                                                        {"spin", "70 us"},
                                                                        {"guest", "no"},
                                                                        {"guest socket", "-"},
                                                                        {"supervisor", "none"}})
        EXPECT_TRUE(std::regex_search(shown, std::regex("(^|\n)" + name + " +" + value + "\n"))) << name << "\n"
                                                                                                 << shown;
    EXPECT_TRUE(std::regex_search(shown, std::regex("uptime +[0-9.]+ (ms|s)\n"))) << shown;
    const Json answer = xcli({"server", "--json"}).json();
    EXPECT_EQ(answer["idle_exit_s"], 90);
    EXPECT_EQ(answer["starvation_limit_ms"], 0);
}

TEST_F(Alone, BadUsage) {
    expect_sentence({"dance"}, "there is no command \"dance\": see");
    expect_sentence({"stauts"}, "(did you mean \"status\"?)");
    expect_sentence({"help", "hnit"}, "(did you mean \"hint\"?)");
    expect_sentence({"hint", "--priorty", "3"}, "(did you mean \"--priority\"?)");
    expect_sentence({"rules", "test", "--usr", "3", "--", "true"}, "(did you mean \"--user\"?)");
    expect_sentence({"config", "chek"}, "xcli config has no \"chek\" (did you mean \"check\"?)");
    expect_sentence({"container", "cid"}, "(did you mean \"cdi\"?)");
    expect_sentence({"list", "--nonsense"}, "--nonsense");
    EXPECT_TRUE(has(xcli({"list", "--nonsense", "--json"}).json().value("error", ""), "--nonsense"));
    EXPECT_EQ(xcli({"--help"}).status, 0);
    EXPECT_EQ(xcli({"run", "--help"}).status, 0);
    EXPECT_EQ(xcli({"--version"}).status, 0);
}

TEST_F(Alone, AnOptionBeforeItsCommandIsSentBehindIt) {
    expect_sentence({"--json", "status"}, "--json goes behind the command: xcli status --json");
}

// Nothing of what xcli prints goes into a file that it has opened itself, such as the server's socket.
TEST_F(Alone, AClosedOutputIsTold) {
    start();
    for (const char* command : {"list", "status --limits", "server", "options"}) {
        const Outcome outcome =
            run_to_end({"/bin/sh", "-c", "exec " + binary("xcli") + " " + command + " >&-"}, directory.environment());
        EXPECT_EQ(outcome.status, 1) << command;
        EXPECT_TRUE(has(outcome.err, "standard output cannot be written")) << outcome.err;
    }
}

TEST_F(Alone, HelpIsOneWordAway) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{}, {"help"}, {"help", "hint"}, {"-V"}}) {
        const Outcome outcome = xcli(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_FALSE(outcome.out.empty());
    }
    EXPECT_TRUE(has(xcli({}).out, "Exit status: 0 done, 1 ")) << xcli({}).out;
    EXPECT_TRUE(has(xcli({"help", "hint"}).out, "--priority"));
    EXPECT_TRUE(has(xcli({"hint", "--help"}).out, "Examples:\n  xcli hint trainer -p -5"));
    EXPECT_TRUE(has(xcli({"man"}).out, "xcli hint trainer"));
}

// Completion scripts of the shells and the manual page must have all commands and options.
TEST_F(Alone, ShellsAndManLearnAllOptions) {
    const std::string script = xcli({"completion", "bash"}).out;
    for (const char* part : {"explain", "--threshold", "complete -F _xcli xcli"}) EXPECT_TRUE(has(script, part));
    const std::string ask = script +
                            "COMP_WORDS=(xcli hi); COMP_CWORD=1; _xcli; echo \"${COMPREPLY[*]}\"\n"
                            "COMP_WORDS=(xcli hint --pri); COMP_CWORD=2; _xcli; echo \"${COMPREPLY[*]}\"\n";
    EXPECT_EQ(run_to_end({"/bin/bash", "-c", ask}, {}).out, "hint\n--priority\n");
    EXPECT_TRUE(has(xcli({"completion", "zsh"}).out, "'--priority[larger is more urgent"));
    EXPECT_TRUE(has(xcli({"completion", "fish"}).out, "-n '__fish_seen_subcommand_from hint' -s p -l priority -x"));
    EXPECT_TRUE(has(xcli({"man"}).out, "\\fB\\-p\\fR, \\fB\\-\\-priority\\fR \\fIN\\fR\n"));
    EXPECT_TRUE(has(xcli({"completion", "bash"}).out, "--log) kind='=DEBG INFO WARN ERRO'"));
    expect_sentence({"completion", "tcsh"}, "SHELL: there is no shell \"tcsh\": use one of bash, zsh, fish");
}

TEST_F(Alone, AServerThatIsStoppedHangsNobody) {
    start();
    kill(server->pid(), SIGSTOP);
    const int64_t begin = base::now_ns();
    expect_sentence({"list"}, "does not answer", 3);
    EXPECT_LT(base::now_ns() - begin, 15 * base::kSecond);
    kill(server->pid(), SIGCONT);
}

TEST_F(Alone, NoPermissionOnTheSocketIsTold) {
    NEEDS_ROOT("to become another user");
    start();
    // The other user may see the socket's folder, but may not use the socket.
    chmod(directory.path().c_str(), 0755);
    const int status = as_nobody([this] {
        const Outcome outcome = xcli({"list"});
        if (outcome.status != 3) return 1;
        if (!has(outcome.err, "no permission on xserver's socket")) return 2;
        return has(outcome.err, ": ask its owner, or set XSCHED_SOCKET to another server's socket") ? 0 : 3;
    });
    EXPECT_EQ(status, 0);
}

TEST_F(Alone, ASocketThatCannotBeUsedComesWithARemedy) {
    const auto said = [this](const std::string& place) {
        const Outcome outcome = xcli({"list"}, {{"XSCHED_SOCKET", place}});
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        return outcome.err;
    };
    const std::string far = directory / std::string(200, 'x');
    EXPECT_TRUE(has(said(far), ": set XSCHED_SOCKET to a shorter path")) << said(far);
    // A server that accepts no connection, since it is stopped: one more connection than its queue takes.
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", (directory / "busy").c_str());
    const auto* const place = reinterpret_cast<const sockaddr*>(&address);
    const auto opened = [] {
        return base::UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    };
    const base::UniqueFd stopped = opened();
    ASSERT_EQ(bind(stopped.get(), place, sizeof(address)), 0) << strerror(errno);
    ASSERT_EQ(listen(stopped.get(), 0), 0);
    std::vector<base::UniqueFd> waiting;
    do waiting.push_back(opened());
    while (connect(waiting.back().get(), place, sizeof(address)) == 0 && waiting.size() < 100);
    EXPECT_TRUE(has(said(directory / "busy"), ": it is stopped or overloaded, try again")) << said(directory / "busy");
}

TEST_F(Alone, ARecordingOfNothingIsNone) {
    start();
    expect_sentence({"record", "-o", directory / "x", "-t", "20ms"},
                    "no program was scheduled in that time: start one with 'xcli run -- PROGRAM'", 4);
    EXPECT_NE(access((directory / "x").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace xsched::test
