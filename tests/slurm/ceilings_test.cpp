#include "slurm/ceilings.h"

#include <gtest/gtest.h>

namespace xsched::slurm {
namespace {

using Settings = std::vector<std::string>;

TEST(SlurmCeilings, AQosComesBeforeAPartitionAndThatBeforeAllJobs) {
    Ceilings ceilings;
    EXPECT_FALSE(ceilings.any());
    for (const char* word : {"highest-priority=20", "device-limit=50", "partition/urgent:highest-priority=100",
                             "qos/batch:highest-priority=0", "qos/batch:memory-limit=20GiB"})
        EXPECT_EQ(ceilings.take(word), "");
    EXPECT_TRUE(ceilings.any());
    EXPECT_EQ(ceilings.settings("/j", "other", "normal"), (Settings{"/j:device-limit=50", "/j:highest-priority=20"}));
    EXPECT_EQ(ceilings.settings("/j", "urgent", "normal"), (Settings{"/j:device-limit=50", "/j:highest-priority=100"}));
    EXPECT_EQ(ceilings.settings("/j", "urgent", "batch"),
              (Settings{"/j:device-limit=50", "/j:highest-priority=0", "/j:memory-limit=20GiB"}));
}

TEST(SlurmCeilings, AWordThatIsWrongIsNamedAndTheOthersHold) {
    Ceilings ceilings;
    EXPECT_NE(ceilings.take("highest-priority=much").find("is not a whole number"), std::string::npos);
    EXPECT_NE(ceilings.take("user/ann:share=3").find("write partition/NAME or qos/NAME"), std::string::npos);
    EXPECT_NE(ceilings.take("speed=3").find("a group has no limit \"speed\""), std::string::npos);
    EXPECT_EQ(ceilings.take("share=30"), "");
    EXPECT_EQ(ceilings.settings("/j", "", ""), (Settings{"/j:share=30"}));
}

TEST(SlurmCeilings, ProgramsMayBeElsewhere) {
    Ceilings ceilings;
    EXPECT_EQ(ceilings.xcli(), "/usr/bin/xcli");
    EXPECT_EQ(ceilings.take("xcli=/opt/bin/xcli"), "");
    EXPECT_EQ(ceilings.take("scontrol=/opt/slurm/bin/scontrol"), "");
    EXPECT_EQ(ceilings.xcli(), "/opt/bin/xcli");
    EXPECT_EQ(ceilings.scontrol(), "/opt/slurm/bin/scontrol");
    EXPECT_FALSE(ceilings.any());
}

TEST(SlurmCeilings, EveryKindIsTakenBack) {
    EXPECT_EQ(Ceilings::none("/j").size(), 5u);
    EXPECT_EQ(Ceilings::none("/j")[2], "/j:highest-priority=255");
}

}  // namespace
}  // namespace xsched::slurm
