// The values that shells offer behind an option or for an argument, with a server and a program.
#include <unistd.h>

#include <cstdlib>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Completion : public WithTrainer {
protected:
    static bool has_fish() { return system("command -v fish > /dev/null 2>&1") == 0; }
    std::string fish(const std::string& line) {
        return offered_by("exec fish -c \"xcli completion fish | source; complete -C '" + line + "'\"");
    }
    std::string offered_by(const std::string& script) {
        const std::string path =
            "export PATH=" + std::string(XSCHED_BIN_DIR) + ":/usr/bin:/bin HOME=" + directory.path() + "/home\n";
        return run_to_end({"/bin/bash", "-c", path + script}, directory.environment()).out;
    }
    std::string bash(const std::string& words, int at) {
        return offered_by("source <(xcli completion bash)\nCOMP_WORDS=(xcli " + words +
                          "); COMP_CWORD=" + std::to_string(at) + "; _xcli; echo \"${COMPREPLY[*]}\"");
    }
};

TEST_F(Completion, OffersTheValuesThatAreMeant) {
    const std::string pid = std::to_string(getpid());
    EXPECT_EQ(bash("policy PU", 2), "PUP\n");
    EXPECT_EQ(bash("run --policy HP", 3), "HPF\n");
    EXPECT_EQ(bash("log ''", 2), "DEBG INFO WARN ERRO\n");
    EXPECT_EQ(bash("top --sort he", 3), "held\n");
    EXPECT_EQ(bash("explain ''", 2), pid + "\n");
    EXPECT_EQ(bash("hint -x ''", 3), pid + ".1\n");
    EXPECT_EQ(bash("suspend --device ''", 3), "0\n");
    EXPECT_EQ(bash("hint -p ''", 3), "\n") << "a number has no values to offer, and files are none";
    EXPECT_EQ(bash("completion z", 2), "zsh\n");
    EXPECT_EQ(bash("compl", 1), "completion\n");
    EXPECT_EQ(bash("record -o /dev/nul", 3), "/dev/null\n");
}

TEST_F(Completion, OffersProgramsThatHaveUsedNoDevice) {
    const Process ours({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    const std::string line = std::to_string(ours.pid()) + "\tsleep\n";
    EXPECT_TRUE(eventually([&] { return has(xcli({"complete", "PROGRAM"}).out, line); }));
    expect_sentence({"explain", "slepe"}, "(did you mean \"sleep\"?)", 4);
}

// Commands within commands, words of a list, programs and files, in each shell.
TEST_F(Completion, BashOffersWhatEachCommandTakes) {
    make_file(directory / "home/.local/bin/ours",
              "#!/bin/sh\n# Written by 'xcli enable'; 'xcli disable' removes it.\n");
    make_file(directory / "home/.local/bin/other", "#!/bin/sh\n");
    EXPECT_EQ(bash("container ''", 2), "cdi run\n");
    EXPECT_EQ(bash("container cdi --platform hi", 4), "hip\n");
    EXPECT_EQ(bash("container run --engine ''", 4), "podman docker\n");
    EXPECT_EQ(bash("container cdi --out /dev/nul", 4), "/dev/null\n");
    EXPECT_EQ(bash("config ''", 2), "check " + std::to_string(getpid()) + "\n");
    EXPECT_EQ(bash("config -l ''", 3), "\n") << "a number";
    EXPECT_EQ(bash("config check /dev/nul", 3), "/dev/null\n");
    EXPECT_EQ(bash("config check --j", 3), "--json\n");
    EXPECT_EQ(bash("rules ''", 2), "-h --help --json test load\n");
    EXPECT_EQ(bash("rules test --us", 3), "--user\n");
    EXPECT_EQ(bash("enable mktem", 2).find("mktemp"), 0U) << bash("enable mktem", 2);
    EXPECT_EQ(bash("disable ''", 2), "ours\n");
    EXPECT_EQ(bash("admit --unknown ''", 3), "refuse run\n");
    EXPECT_EQ(bash("pool ''", 2), "show start stop\n");
}

TEST_F(Completion, FishOffersWhatEachCommandTakes) {
    if (!has_fish()) GTEST_SKIP() << "fish is not installed";
    EXPECT_EQ(fish("xcli container "), "cdi\nrun\n");
    EXPECT_EQ(fish("xcli container cdi --platform hi").find("hip\t"), 0U);
    EXPECT_EQ(fish("xcli config check /dev/nul"), "/dev/null\n");
    EXPECT_TRUE(has(fish("xcli config "), "check\tsay what is wrong")) << fish("xcli config ");
    EXPECT_TRUE(has(fish("xcli config "), std::to_string(getpid()) + "\ttrainer")) << fish("xcli config ");
    EXPECT_TRUE(has(fish("xcli rules test --us"), "--user")) << fish("xcli rules test --us");
    EXPECT_TRUE(has(fish("xcli enable mktem"), "mktemp")) << fish("xcli enable mktem");
}

// zsh's own functions need a terminal: stand-ins print what they are given.
TEST_F(Completion, ZshOffersWhatEachCommandTakes) {
    if (system("command -v zsh > /dev/null 2>&1") != 0) GTEST_SKIP() << "zsh is not installed";
    const auto zsh = [this](const std::string& words, int at) {
        make_file(directory / "ask.zsh",
                  "compdef() { }\n_arguments() { print -rl -- $CURRENT \"$@\" }\n"
                  "_describe() { print -rl -- $values }\nsource <(xcli completion zsh)\n"
                  "words=(xcli " +
                      words + "); CURRENT=" + std::to_string(at) + "\n_xcli\n");
        return offered_by("exec zsh -f " + directory / "ask.zsh");
    };
    EXPECT_TRUE(has(zsh("container ''", 3), "\n*:value:(cdi run)\n")) << zsh("container ''", 3);
    EXPECT_TRUE(has(zsh("container cdi --platform ''", 5), ":value:(opencl cuda "))
        << zsh("container cdi --platform ''", 5);
    EXPECT_TRUE(has(zsh("config ''", 3), "\n1:PROGRAM:{_xcli_values PROGRAM check}\n")) << zsh("config ''", 3);
    EXPECT_TRUE(has(zsh("config check ''", 4), "2\n")) << "the words before the part are left out";
    EXPECT_TRUE(has(zsh("config check ''", 4), "\n*:FILE:_files\n")) << zsh("config check ''", 4);
    EXPECT_TRUE(has(zsh("enable ''", 3), "\n*:PROGRAM:_command_names -e\n")) << zsh("enable ''", 3);
    EXPECT_TRUE(has(zsh("rules ''", 3), "\n1:part:(test load)\n")) << zsh("rules ''", 3);
    EXPECT_TRUE(has(zsh("rules test ''", 4), "--user[")) << zsh("rules test ''", 4);
}

TEST_F(Completion, FishOffersThemWithTheirNames) {
    if (!has_fish()) GTEST_SKIP() << "fish is not installed";
    EXPECT_TRUE(has(fish("xcli policy PUP"), "PUP\tshares")) << fish("xcli policy PUP");
    EXPECT_EQ(fish("xcli explain "), std::to_string(getpid()) + "\ttrainer\n");
}

}  // namespace
}  // namespace xsched::test
