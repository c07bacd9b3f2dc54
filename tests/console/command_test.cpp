#include "console/command.h"

#include <gtest/gtest.h>

namespace xsched::console {
namespace {

TEST(Command, HasTheEnvironmentThatIsGiven) {
    const Printed printed = run_command({"/usr/bin/env", "-0"}, {"ONE=1", "TWO=a b"});
    EXPECT_TRUE(printed.well);
    EXPECT_EQ(printed.text, std::string("ONE=1\0TWO=a b\0", 14));
}

TEST(Command, ErrorsArePartOfTheTextIfAskedFor) {
    const std::vector<std::string> words{"/bin/sh", "-c", "echo said; echo wrong >&2; exit 3"};
    EXPECT_EQ(run_command(words, own_environment()).text, "said\n");
    const Printed together = run_command(words, own_environment(), Errors::kTogether);
    EXPECT_EQ(together.text, "said\nwrong\n");
    EXPECT_FALSE(together.well);
}

TEST(Command, AFailureIsNoSuccess) {
    EXPECT_FALSE(run_command({"/bin/false"}, {}).well);
    EXPECT_FALSE(run_command({"/no/such/program"}, {}).well);
}

}  // namespace
}  // namespace xsched::console
