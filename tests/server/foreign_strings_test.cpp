// Every door by which a string of a stranger's choice comes in: what is shown and logged of it does nothing to a
// terminal and stays on its line.
#include <sys/prctl.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "server/hostile.h"
#include "support/containers.h"
#include "support/listener.h"

namespace xsched::test {
namespace {

// A name with all that could harm a terminal or a log: a sequence that sets the title, one for a colour, a newline, a
// C1 control in UTF-8, invalid UTF-8 and DEL.
const std::string kEvil =
    "\x1b]0;x\a\x1b[31m\nINJECTED\r\t\xc2\x9b"
    "2J\xff\xfe\x7f";

// Returns what in a text could deceive a terminal or a log (a control character, or the line of kEvil); "": nothing.
std::string harm_in(const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
        const auto letter = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        const bool control = (letter < ' ' && letter != '\n') || letter == 0x7f;
        if (control || (letter == 0xc2 && next >= 0x80 && next < 0xa0))
            return "byte " + std::to_string(letter) + " in: " + text.substr(i > 60 ? i - 60 : 0, 120);
    }
    if (text.find("\nINJECTED") != std::string::npos) return "a line of its own in: " + text;
    return "";
}

// All strings within.
std::string strings_in(const Json& answer) {
    if (answer.is_string()) return answer.get<std::string>() + " ";
    std::string all;
    if (answer.is_structured())
        for (const Json& part : answer) all += strings_in(part);
    return all;
}

class ForeignStrings : public UnderAttack {
protected:
    void SetUp() override {
        NEEDS_ROOT("to be a stranger");
        chmod(directory.path().c_str(), 0755);
        Environment environment = directory.environment();
        environment["XLOG_FILE"] = log();
        environment["XLOG_LEVEL"] = "DEBG";
        server = std::make_unique<ServerProcess>(directory, std::vector<std::string>{"--system"}, environment);
        ASSERT_TRUE(server->ready());
    }
    std::string log() const { return directory / "log"; }
    std::string text_of_log() const {
        std::ifstream file(log());
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string xcli(std::vector<std::string> words, const Environment& more = {}) const {
        words.insert(words.begin(), binary("xcli"));
        Environment environment = directory.environment();
        for (const auto& [name, value] : more) environment[name] = value;
        Process process(words, environment);
        process.wait();
        return process.out() + process.err();
    }
    // All that people and machines are shown.
    void expect_harmless() const {
        for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"list"},
                                                                                           {"list", "--json"},
                                                                                           {"status"},
                                                                                           {"status", "--json"},
                                                                                           {"status", "--limits"},
                                                                                           {"server"},
                                                                                           {"metrics"},
                                                                                           {"explain"},
                                                                                           {"top", "--json"},
                                                                                           {"doctor"}}) {
            const std::string shown = xcli(words);
            EXPECT_FALSE(shown.empty()) << words[0];
            EXPECT_EQ(harm_in(shown), "") << words[0];
        }
        for (const char* command : {"list", "status", "programs", "limits", "server", "record"})
            EXPECT_EQ(harm_in(strings_in(answer_of_server(socket(), {{"cmd", command}}))), "") << command;
        EXPECT_EQ(harm_in(text_of_log()), "");
        EXPECT_EQ(server->process().err(), "");
    }
};

TEST_F(ForeignStrings, NamesOfProgramsAndDevices) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        static std::optional<TestClient> client;
        client.emplace(path, kEvil.c_str());
        if (!client->connected()) return false;
        client->header().devices[0].write(TestClient::kFirstDevice, kEvil.c_str());
        client->add_queue(0, 0, 0xa1);
        client->slot(0).gang = INT64_MAX;
        client->submit(0);
        return true;
    });
    ASSERT_TRUE(attacker.ready());
    expect_harmless();
}

// A process gives itself a hostile name (prctl) and announces itself to the server.
TEST_F(ForeignStrings, NamesOfProcesses) {
    const std::string path = socket();
    Attacker attacker(kAttackerUid, [&] {
        prctl(PR_SET_NAME, kEvil.c_str());
        static std::optional<TestTool> tool;
        tool.emplace(path);
        return tool->ask({{"cmd", "expect"}}).value("ok", false);
    });
    ASSERT_TRUE(attacker.ready());
    expect_harmless();
}

TEST_F(ForeignStrings, NamesOfControlGroups) {
    const std::string mount = [] {
        std::ifstream mounts("/proc/self/mounts");
        std::string found;
        for (std::string device, place, kind, rest; mounts >> device >> place >> kind && std::getline(mounts, rest);)
            if (kind == "cgroup2") found = place;
        return found;
    }();
    std::string name = kEvil;  // the kernel allows no newline there
    for (char& letter : name)
        if (letter == '\n') letter = '\x1b';
    const std::string group = mount + "/xsched-test-" + std::to_string(getpid()) + name;
    if (mount.empty() || mkdir(group.c_str(), 0755) != 0) GTEST_SKIP() << "no control group can be made here";
    chown(group.c_str(), kAttackerUid, kAttackerUid);
    const std::string path = socket();
    {
        Sitter attacker([&] {
            std::ofstream(group + "/cgroup.procs") << "0" << std::flush;
            // The attacker gives up its rights but keeps user id 0, so the server names it by its control group,
            // whose name is hostile.
            if (!keep_capabilities(kUsualCapabilities)) return false;
            static std::optional<TestClient> client;
            client.emplace(path, "in a group");
            if (!client->connected()) return false;
            client->add_queue(0, 0, 0xa2);
            client->submit(0);
            return true;
        });
        EXPECT_TRUE(attacker.ready());
        EXPECT_TRUE(eventually([&] {
            return answer_of_server(path, {{"cmd", "list"}}).dump().find("xsched-test-") != std::string::npos;
        })) << "it is shown";
        EXPECT_EQ(as_user(kAttackerUid,
                          [&] {
                              const Json asked{{"cmd", "limit"}, {"set", group.substr(mount.size()) + ":share=30"}};
                              const std::string text = asked.dump(-1, ' ', false, Json::error_handler_t::ignore);
                              return TestTool(path).ask_text(text).value("ok", false) ? 1 : 0;
                          }),
                  0)
            << "a name that cannot be shown cannot be set";
        expect_harmless();
        const std::string said = xcli({"limit", group.substr(mount.size()) + ":share=30"});
        EXPECT_NE(said, "");
        EXPECT_EQ(harm_in(said), "");
    }
    EXPECT_TRUE(eventually([&] { return rmdir(group.c_str()) == 0; }));
}

TEST_F(ForeignStrings, RequestsOfTools) {
    const std::string path = socket();
    const int pid = getpid();
    EXPECT_EQ(as_user(kAttackerUid,
                      [&] {
                          TestClient own(path, "own");
                          own.add_queue(0, 0, 0xa3);
                          TestTool tool(path);
                          const std::string text = kEvil.substr(0, kEvil.size() - 3);  // valid UTF-8
                          for (const Json& request : std::initializer_list<Json>{
                                   {{"cmd", text}},
                                   {{"cmd", "policy"}, {"name", text}},
                                   {{"cmd", "log"}, {"level", text}},
                                   {{"cmd", "limit"}, {"set", text}},
                                   {{"cmd", "limit"}, {"set", "/" + text + ":share=1"}},
                                   {{"cmd", "suspend"}, {"queue", 0xa3}, {"note", text}, {text, text}},
                                   {{"cmd", "hint"}, {"queue", 0xa3}, {"priority", 1}, {"why", text}},
                                   {{"cmd", "hint"}, {"pid", pid}, {"priority", text}}})
                              if (tool.ask(request).is_null()) return 1;
                          return tool.ask_text("{\"cmd\":\"" + kEvil + "\"}").is_null() ? 2 : 0;
                      }),
              0);
    expect_harmless();
    for (const std::string& word : {std::string("limit"), std::string("log"), std::string("policy")}) {
        const std::string said = word == "policy" ? xcli({word, "-s", kEvil}) : xcli({word, kEvil});
        EXPECT_NE(said, "");
        EXPECT_EQ(harm_in(said), "") << word;
    }
}

// Strings of other users' sockets, and of the environment.
TEST_F(ForeignStrings, PlacesAndVariables) {
    std::string name = kEvil;
    for (char& letter : name)
        if (letter == '\n') letter = '\x1b';
    const std::string folder = directory / name;
    ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
    const base::UniqueFd other(listen_on(folder + "/xserver.sock"));
    ASSERT_TRUE(other);
    expect_harmless();
    EXPECT_EQ(harm_in(xcli({"status"}, {{"XLOG_LEVEL", kEvil}})), "");
    EXPECT_EQ(harm_in(xcli({"status"}, {{"XSCHED_SOCKET", "/nowhere/" + kEvil}})), "");
}

}  // namespace
}  // namespace xsched::test
