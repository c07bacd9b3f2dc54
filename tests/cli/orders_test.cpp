// Promises of every order of xcli that --help lists: letters, JSON, pages that exist, empty words refused.
#include <map>
#include <regex>
#include <set>

#include "cli/cli_rig.h"
#include "cli/fit.h"

namespace xsched::test {
namespace {

using Words = std::vector<std::string>;

class Orders : public WithTrainer {
protected:
    // Returns all orders, such as {"config", "check"}, as the helps list them.
    std::vector<Words> all() {
        std::vector<Words> orders;
        for (const std::string& name : parts_of({})) {
            orders.push_back({name});
            for (const std::string& part : parts_of({name})) orders.push_back({name, part});
        }
        return orders;
    }
    std::string help_of(Words order) {
        order.emplace_back("--help");
        const Outcome outcome = xcli(order, {{"COLUMNS", "80"}});
        EXPECT_EQ(outcome.status, 0) << order[0] << outcome.err;
        return outcome.out;
    }
    Words parts_of(const Words& order) {
        Words parts;
        bool listed = false;
        for (const std::string& line : cli::lines_of(help_of(order))) {
            if (listed && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
                parts.push_back(line.substr(2, line.find(' ', 2) - 2));
            listed = line == "Subcommands:" || (listed && !line.empty());
        }
        return parts;
    }
    // Returns the lines that the order prints until its end, or the first line of one that goes on until it is ended.
    std::string answer_of(const Words& words, bool ends) {
        if (ends) return xcli(words, {{"HOME", directory.path()}}).out;
        Words all{binary("xcli")};
        all.insert(all.end(), words.begin(), words.end());
        Process process(all, directory.environment());
        EXPECT_TRUE(process.wait_for_output("\n")) << process.err();
        kill(process.pid(), SIGTERM);
        process.wait();
        return process.out().substr(0, process.out().find('\n'));
    }
};

TEST_F(Orders, ALetterMeansTheSameOptionInAll) {
    std::map<std::string, std::set<std::string>> meant;
    static const std::regex names("^ +(-[A-Za-z]),(--[a-z0-9-]+)");
    const std::vector<Words> orders = all();
    EXPECT_GT(orders.size(), 30U);
    for (const Words& order : orders)
        for (const std::string& line : cli::lines_of(help_of(order)))
            if (std::smatch found; std::regex_search(line, found, names)) meant[found[1]].insert(found[2]);
    EXPECT_GT(meant.size(), 10U);
    for (const auto& [letter, options] : meant)
        EXPECT_EQ(options.size(), 1U) << letter << ": " << *options.begin() << ", " << *options.rbegin();
}

// Scripts for XSched 1.2 use these two.
TEST_F(Orders, TheFormerLetterOfAnOptionStillSetsIt) {
    const std::string me = std::to_string(getpid());
    EXPECT_EQ(xcli({"hint", me, "-t", "7ms"}).status, 0);
    EXPECT_EQ(client.slot(0).timeslice_us.load(), 7000);
    EXPECT_EQ(xcli({"config", me, "-t", "5"}).status, 0);
    EXPECT_EQ(client.slot(0).want_threshold.load(), 5U);
    expect_sentence({"hint", me, "-t", "7"},
                    "--timeslice: 7 means 7 us, which is not from 100us to 10s: say 7ms for milliseconds");
    expect_sentence({"hint", me, "--timeslice", "20s"}, "--timeslice: 20s is not from 100us to 10s");
    expect_sentence({"hint", me, "-t"}, "xcli: -t needs a value");
    expect_sentence({"hint", "-t", "5ms", "-t", "6ms"}, "xcli: -t is given several times");
    for (const char* order : {"run", "admit", "container"})
        expect_sentence({order, "-t=5", "--", "run"}, "xcli " + std::string(order) + " has no option -t");
}

TEST_F(Orders, AllWithJsonAnswerJson) {
    const std::string me = std::to_string(getpid());
    const auto in = [this](const char* name) { return directory / name; };
    const std::map<std::string, Words> rest{
        {"admit", {"--check", "--", "/bin/true"}},
        {"explain", {me}},
        {"record", {"-o", in("x.rec"), "-t", "20ms"}},
        {"trace", {"-o", in("x.trace"), "-t", "20ms"}},
        {"rules test", {"--", "/bin/true"}},
        {"enable", {"true"}},
        {"disable", {"true"}},
        {"container", {"run", "--platform", "cuda"}},
        {"pool", {"stop"}},
        {"hint", {me, "-p", "4"}},
        {"config check", {in("none.toml")}},
        {"limit", {"clients=500"}},
        {"suspend", {me}},
        {"resume", {me}},
        {"web", {"--listen", in("web.sock")}},
    };
    for (const Words& order : all()) {
        if (order[0] == "run" || help_of(order).find("--json") == std::string::npos) continue;  // run: a program's own
        std::string name = order[0];
        if (order.size() > 1) name += " " + order[1];
        Words words = order;
        words.emplace_back("--json");
        if (const auto more = rest.find(name); more != rest.end())
            words.insert(words.end(), more->second.begin(), more->second.end());
        const Json answer = Json::parse(answer_of(words, name != "web"), nullptr, false);
        EXPECT_TRUE(answer.is_object() && answer.contains("ok")) << name << ": " << answer;
        words = order;
        words.insert(words.end(), {"--json", "--no-such-option"});
        const Outcome refused = xcli(words);
        EXPECT_EQ(refused.json().value("status", 0), 2) << name << ": " << refused.out << refused.err;
        EXPECT_EQ(refused.status, 2) << name;
    }
    EXPECT_EQ(xcli({"run", "--json", "--policy"}).json().value("status", 0), 2);
    const std::string file = in("cdi.json");
    EXPECT_EQ(xcli({"container", "cdi", "--json", "--platform", "cuda", "-o", file}).json()["file"], file);
    const Json lines = xcli({"container", "run", "--json", "--platform", "cuda", "IMAGE"}).json()["lines"];
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0]["engine"], "podman");
    EXPECT_EQ(lines[0]["words"].back(), "IMAGE");
    EXPECT_EQ(Json::parse(answer_of({"metrics", "--json", "--listen", in("m.sock")}, false))["listen"], in("m.sock"));
}

// An installed user has no source tree: what tools print names pages by their names alone.
TEST_F(Orders, NothingThatIsPrintedNamesAFileOfTheSources) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const Words& order : all()) texts.emplace_back(order[0], help_of(order));
    for (const Words& words :
         {Words{"options"}, {"options", "--debug"}, {"json"}, {"metrics", "--definitions"}, {"man"}})
        texts.emplace_back(words[0], xcli(words).out);
    texts.emplace_back("xserver", run_to_end({binary("xserver"), "--help"}, {}).out);
    if (access(binary("xsim").c_str(), X_OK) == 0)
        for (const char* command : {"run", "compare", "replay", "property", "fit", "fleet", "ablate"})
            texts.emplace_back("xsim", run_to_end({binary("xsim"), command, "--help"}, {}).out);
    for (const auto& [name, text] : texts) {
        EXPECT_FALSE(text.empty()) << name;
        for (const char* path : {"docs/", "src/"}) EXPECT_FALSE(has(text, path)) << name << text;
    }
    EXPECT_TRUE(has(help_of({"options"}), "Pages such as levels.md are in share/doc/xsched/docs."));
}

TEST_F(Orders, HelpsFitEightyColumns) {
    for (const Words& order : all())
        for (const std::string& line : cli::lines_of(help_of(order))) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(Orders, TheHelpListsThoseAboutXcliItself) {
    for (const char* name : {"help", "man", "completion"}) {
        EXPECT_TRUE(has(help_of({}), std::string("\n  ") + name + " ")) << help_of({});
        EXPECT_TRUE(has(help_of({name}), "Usage: xcli " + std::string(name)));
    }
    for (const Words& words : {Words{}, {"help"}}) EXPECT_EQ(xcli(words).out, help_of({}));
    EXPECT_TRUE(has(xcli({"help", "config", "check"}).out, "Usage: xcli config check")) << xcli({"help", "config"}).out;
    expect_sentence({"help", "hitn"}, "there is no command \"hitn\" (did you mean \"hint\"?)");
    expect_sentence({"completion", "bahs"},
                    "SHELL: there is no shell \"bahs\" (did you mean \"bash\"?): use one of bash, zsh, fish");
}

// An empty word is mostly a variable that is not set.
TEST_F(Orders, EmptyWordsAreRefused) {
    const std::map<std::string, std::vector<Words>> empty{
        {"--token-file: the name of the file is empty",
         {{"web", "--token-file", ""}, {"metrics", "--listen", "127.0.0.1:0", "--token-file", ""}}},
        {"NAME: the name of the policy is empty", {{"policy", ""}}},
        {"--policy: the name of the policy is empty", {{"run", "--policy", "", "--", "/bin/true"}}},
        {"--log: the name of the level is empty", {{"run", "--log", "", "--", "/bin/true"}}},
        {"say which policy", {{"policy", "-s", ""}, {"policy", "-s", "-n", ""}}},
        {"SETTING: the name of the limit is empty", {{"limit", ""}}},
        {"the name of the program is empty", {{"admit", "--", ""}}},
        {"--token-group is for the file of a token", {{"metrics", "--token-group", "root"}}},
        {"LEVEL: the name of the level is empty", {{"log", ""}}},
        {"--out: the name of the file is empty", {{"record", "-o", ""}, {"container", "cdi", "-o", ""}}},
        {"-n PUP changes nothing: 'xcli policy PUP' changes to that one", {{"policy", "-n", "PUP"}}},
    };
    for (const auto& [sentence, lines] : empty)
        for (const Words& words : lines) expect_sentence(words, sentence);
    EXPECT_EQ(xcli({"policy"}).out, "policy HPF\n");
}

TEST_F(Orders, TheHelpSaysWhatAFileThatIsWrongEndsWith) {
    for (const Words& order : {Words{"config"}, {"config", "check"}}) {
        const std::string help = std::regex_replace(help_of(order), std::regex("\\s+"), " ");
        EXPECT_TRUE(has(help, "Exit status: 0 nothing is wrong in the files, 1 something is;")) << help;
        EXPECT_FALSE(has(help, "1 the output cannot be written")) << help;
    }
}

}  // namespace
}  // namespace xsched::test
