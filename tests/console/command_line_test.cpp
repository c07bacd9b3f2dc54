// Tests of how a tool's command line ends: with the command's exit status, or with a sentence of refusal and its
// status.
#include "console/command_line.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "console/checks.h"
#include "console/help.h"

namespace {

using xsched::console::kUsage;

class CommandLine : public testing::Test {
protected:
    CommandLine() {
        CLI::App* work = app_.add_subcommand("work", "work for a while");
        work->callback([this] { command_ = [] { return 7; }; });
        work->add_option("-n,--times", times_, "how often it works");
        work->add_option("--level", level_, "how hard it works")->check(xsched::console::between(0, 9));
        work->add_option("--kind", kind_, "what it does")
            ->transform(xsched::console::one_of("kind", {"fast", "slow"}, {"swift"}));
        work->add_option("--for", seconds_)->transform(xsched::console::seconds_between(0.1, 7200));
        CLI::Option* wait = work->add_flag("--wait");
        work->add_flag("--no-wait")->excludes(wait);
        work->add_option("--rest")->needs(wait);
        work->add_option("PROGRAM", program_, "the program")->option_text("-- PROGRAM [ARGUMENTS]");
        work->footer("Examples:\n  tool work -n 3 -- true\n      three times");
        app_.footer("Exit status: 0 done, 2 the command line makes no sense, 3 the device is away, 4 it is not there.");
        CLI::App* fail = app_.add_subcommand("fail");
        fail->callback([this] { command_ = []() -> int { throw std::runtime_error("the device is gone"); }; });
        fail->add_subcommand("early");
        app_.require_subcommand(1);
    }

    int run(std::vector<const char*> words) {
        words.insert(words.begin(), "tool");
        const auto refuse = [this](const std::string& sentence) {
            said_ = sentence;
            return kUsage;
        };
        return xsched::console::run(
            app_, static_cast<int>(words.size()), const_cast<char**>(words.data()), "tool",
            [this] { return command_(); }, refuse);
    }

    // Demands that the line is refused with this sentence.
    void expect_sentence(const std::vector<const char*>& words, const std::string& sentence) {
        EXPECT_EQ(run(words), kUsage);
        EXPECT_EQ(said_, sentence);
    }

    CLI::App app_{"Works.", "tool"};
    int times_ = 0;
    int level_ = 0;
    double seconds_ = 0;
    std::string kind_;
    std::vector<std::string> program_;
    std::function<int()> command_;
    std::string said_;
};

TEST_F(CommandLine, TheCommandsStatusIsTheProgramsStatus) {
    EXPECT_EQ(run({"work"}), 7);
    EXPECT_EQ(said_, "");
}

TEST_F(CommandLine, WhatACommandThrowsIsTheSentence) {
    EXPECT_EQ(run({"fail"}), kUsage);
    EXPECT_EQ(said_, "the device is gone");
}

TEST_F(CommandLine, AWrongLineNamesTheHelp) {
    EXPECT_EQ(run({"work", "--nonsense"}), kUsage);
    EXPECT_NE(said_.find(": see 'tool work --help'"), std::string::npos) << said_;
}

TEST_F(CommandLine, AMisspeltCommandIsNamedWithTheOneThatIsMeant) {
    expect_sentence({"wrok", "-n", "3"}, "there is no command \"wrok\" (did you mean \"work\"?): see 'tool --help'");
    expect_sentence({"play"}, "there is no command \"play\": see 'tool --help'");
    expect_sentence({}, "say which command: see 'tool --help'");
    expect_sentence({"--hepl"}, "tool has no option --hepl (did you mean \"--help\"?): see 'tool --help'");
}

TEST_F(CommandLine, SentencesNameTheWordAndTheOption) {
    expect_sentence({"work", "--tims=3"},
                    "tool work has no option --tims (did you mean \"--times\"?): see 'tool work --help'");
    expect_sentence({"work", "--tims", "3", "-n", "1"},
                    "tool work has no option --tims (did you mean \"--times\"?): see 'tool work --help'");
    expect_sentence({"fail", "soon"}, "\"soon\" is one word too many for tool fail: see 'tool fail --help'");
    expect_sentence({"work", "--kind", "odd"},
                    "--kind: there is no kind \"odd\": use one of fast, slow: see 'tool work --help'");
    expect_sentence(
        {"work", "--kind", "fats"},
        "--kind: there is no kind \"fats\" (did you mean \"fast\"?): use one of fast, slow: see 'tool work --help'");
    expect_sentence({"work", "--nonsense"}, "tool work has no option --nonsense: see 'tool work --help'");
    expect_sentence({"fail", "erly"},
                    "\"erly\" is one word too many for tool fail (did you mean \"early\"?): see 'tool fail --help'");
    expect_sentence({"work", "-n", "1.5"}, "--times \"1.5\" cannot be read as a number: see 'tool work --help'");
    expect_sentence({"work", "-n"}, "--times needs a value: see 'tool work --help'");
    expect_sentence({"work", "-n", "1", "-n", "2"}, "--times is given several times: see 'tool work --help'");
    expect_sentence({"work", "--level", "10"}, "--level: 10 is not from 0 to 9: see 'tool work --help'");
}

TEST_F(CommandLine, ATimeIsInSecondsOrHasAUnit) {
    for (const auto& [text, seconds] : {std::pair("7", 7.0), std::pair("500ms", 0.5), std::pair("1.5s", 1.5),
                                        std::pair("100000us", 0.1), std::pair("3m", 180.0), std::pair("2h", 7200.0)}) {
        EXPECT_EQ(run({"work", "--for", text}), 7) << said_;
        EXPECT_DOUBLE_EQ(seconds_, seconds) << text;
    }
    for (const char* text : {"5 parsecs", "ms", "3h", "50ms", "nan"}) EXPECT_EQ(run({"work", "--for", text}), kUsage);
    expect_sentence({"work", "--for", "5d"},
                    "--for: \"5d\" is not a number of seconds, or a time such as 500ms, from 0.1 to 7200: see 'tool "
                    "work --help'");
}

TEST_F(CommandLine, AWordOfASetIsTakenInCapitalsToo) {
    EXPECT_EQ(run({"work", "--kind", "SLOW"}), 7);
    EXPECT_EQ(kind_, "slow");
    EXPECT_EQ(run({"work", "--kind", "Swift"}), 7);
    EXPECT_EQ(kind_, "Swift");
    EXPECT_EQ(xsched::console::choices(*app_.get_subcommand("work")->get_option("--kind")), "fast slow");
}

TEST_F(CommandLine, OptionsThatDependOnOthersAreNamedInASentence) {
    expect_sentence({"work", "--wait", "--no-wait"},
                    "--wait does not go together with --no-wait: leave out one of them: see 'tool work --help'");
    expect_sentence({"work", "--rest", "1"}, "--rest has no effect without --wait: add --wait: see 'tool work --help'");
}

TEST_F(CommandLine, AFlagTakesNoValue) {
    expect_sentence({"work", "--wait=3"}, "--wait takes no value: write --wait or --no-wait: see 'tool work --help'");
    expect_sentence({"work", "--no-wait=no"},
                    "--no-wait takes no value: write --no-wait alone, or leave it out: see 'tool work --help'");
}

TEST_F(CommandLine, HelpHasTheUsageThenExamplesThenOptions) {
    xsched::console::shape_help(app_);
    const std::string help = app_.get_subcommand("work")->help("tool");
    EXPECT_EQ(help.find("Work for a while.\n\nUsage: tool work [OPTIONS] -- PROGRAM [ARGUMENTS]\n\nExamples:\n"), 0u)
        << help;
    EXPECT_LT(help.find("Examples:"), help.find("Options:"));
    EXPECT_NE(help.find("-n,--times N "), std::string::npos) << help;
    EXPECT_NE(help.find("--kind KIND "), std::string::npos) << help;
    EXPECT_EQ(help.find("\n\n\n"), std::string::npos) << help;
    EXPECT_LT(help.find("Options:"), help.find("Exit status: 0 done")) << help;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
