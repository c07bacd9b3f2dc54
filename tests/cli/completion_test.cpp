// The values that shells offer behind an option or for an argument, with a server and a program.
#include <unistd.h>

#include <cstdlib>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Completion : public WithTrainer {
protected:
    std::string offered_by(const std::string& script) {
        const std::string path = "export PATH=" + std::string(XSCHED_BIN_DIR) + ":/usr/bin:/bin\n";
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

TEST_F(Completion, FishOffersThemWithTheirNames) {
    if (system("command -v fish > /dev/null 2>&1") != 0) GTEST_SKIP() << "fish is not installed";
    const auto fish = [this](const std::string& line) {
        return offered_by("exec fish -c \"xcli completion fish | source; complete -C '" + line + "'\"");
    };
    EXPECT_TRUE(has(fish("xcli policy PUP"), "PUP\tshares")) << fish("xcli policy PUP");
    EXPECT_EQ(fish("xcli explain "), std::to_string(getpid()) + "\ttrainer\n");
}

}  // namespace
}  // namespace xsched::test
