#include "slurm/command.h"

#include <gtest/gtest.h>

namespace xsched::slurm {
namespace {

TEST(SlurmCommand, HasTheEnvironmentThatIsGiven) {
    const Printed printed = run_command({"/usr/bin/env", "-0"}, {"ONE=1", "TWO=a b"});
    EXPECT_TRUE(printed.well);
    EXPECT_EQ(printed.text, std::string("ONE=1\0TWO=a b\0", 14));
}

TEST(SlurmCommand, AFailureIsNoSuccess) {
    EXPECT_FALSE(run_command({"/bin/false"}, {}).well);
    EXPECT_FALSE(run_command({"/no/such/program"}, {}).well);
}

}  // namespace
}  // namespace xsched::slurm
