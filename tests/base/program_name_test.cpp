// Programs are told apart by what people know them by: an interpreter's by its script.
#include "base/program_name.h"

#include <gtest/gtest.h>

#include <string>

namespace xsched::base {
namespace {

// Returns the name for a command line, whose words are divided by spaces.
std::string name_of(const std::string& short_name, std::string command_line, bool ends = true) {
    for (char& letter : command_line)
        if (letter == ' ') letter = '\0';
    char name[64];
    name_program(short_name.c_str(), command_line.c_str(), command_line.size() + (ends ? 1 : 0), name, sizeof(name));
    return name;
}

TEST(ProgramName, OfAnInterpreterHasTheScript) {
    EXPECT_EQ(name_of("python3", "python3 train.py --lr 3"), "python3 train.py");
    EXPECT_EQ(name_of("python3.11", "/usr/bin/python3.11 -u -W ignore /srv/serve.py"), "python3.11 serve.py");
    EXPECT_EQ(name_of("python3", "python3 -m vllm.entrypoints --port 80"), "python3 -m vllm.entrypoints");
    EXPECT_EQ(name_of("python3", "python3 обучение.py"), "python3 обучение.py");
}

TEST(ProgramName, OfAnyOtherProgramIsItsOwn) {
    EXPECT_EQ(name_of("trainer", "/opt/trainer data.bin"), "trainer");
    EXPECT_EQ(name_of("shader", "shader a.sh"), "shader") << "not sh";
    EXPECT_EQ(name_of("python3", "python3"), "python3");
    EXPECT_EQ(name_of("python3", "python3 -c print(1)"), "python3");
    EXPECT_EQ(name_of("python3", ""), "python3");
}

TEST(ProgramName, IsTheTitleThatAProgramWroteOverItsCommandLine) {
    EXPECT_EQ(name_of("python3", "ray::train"), "ray::train");
}

TEST(ProgramName, OfACommandLineThatIsCutKeepsWhatIsWhole) {
    EXPECT_EQ(name_of("python3", "python3 /very/long/pa", false), "python3");
    EXPECT_EQ(name_of("python3", "python3 " + std::string(90, 'x')).size(), 63U);
}

TEST(ProgramName, OfThisProcessIsNotEmpty) {
    char name[64] = "";
    name_this_program(name, sizeof(name));
    EXPECT_NE(std::string(name), "");
}

}  // namespace
}  // namespace xsched::base
