#include "slurm/job_group.h"

#include <gtest/gtest.h>

#include "slurm/job_facts.h"

namespace xsched::slurm {
namespace {

TEST(SlurmJobGroup, IsThePathUpToTheJob) {
    const std::string step = "12:pids:/x\n0::/system.slice/slurmstepd.scope/job_41/step_0/user/task_0\n";
    EXPECT_EQ(group_of_job(step, 41), "/system.slice/slurmstepd.scope/job_41");
    EXPECT_EQ(group_of_job(step, 4), "") << "job_41 is another job";
    EXPECT_EQ(group_of_job("0::/system.slice/slurmd.service/job_4", 4), "/system.slice/slurmd.service/job_4");
    EXPECT_EQ(group_of_job("0::/\n", 4), "");
    EXPECT_EQ(path_in("1:cpu:/a\n0::/b/c\n"), "/b/c");
    EXPECT_EQ(path_in("1:cpu:/a\n"), "") << "version 1 alone";
}

TEST(SlurmJobGroup, FindsTheMountOfVersion2) {
    EXPECT_EQ(mount_in("cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"),
              "/sys/fs/cgroup/unified");
    EXPECT_EQ(mount_in("proc /proc proc rw 0 0\n"), "");
}

TEST(SlurmJobFacts, ReadsTheControllersLine) {
    const std::string line = "JobId=4 JobName=wrap UserId=ann(1000) QOS=normal Partition=urgent AllocNode=a:1\n";
    EXPECT_EQ(value_in(line, "Partition"), "urgent");
    EXPECT_EQ(value_in(line, "QOS"), "normal");
    EXPECT_EQ(value_in(line, "Reservation"), "");
}

}  // namespace
}  // namespace xsched::slurm
