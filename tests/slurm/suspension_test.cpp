#include "slurm/suspension.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "support/directory.h"
#include "support/eventually.h"

namespace xsched::slurm {
namespace {

using test::eventually;

// A process that waits until it is ended, and has a child of its own that does the same.
class Family {
public:
    Family() : parent_(fork()) {
        if (parent_ != 0) return;
        if (fork() == 0) pause();
        pause();
        _exit(0);
    }
    ~Family() {
        for (const pid_t pid : processes_below(getpid(), -1)) kill(pid, SIGKILL);
        while (waitpid(parent_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    pid_t parent() const { return parent_; }

private:
    pid_t parent_;
};

TEST(SlurmSuspension, ProcessesBelowAreThoseOfAllGenerations) {
    const Family family;
    EXPECT_TRUE(eventually([] { return processes_below(getpid(), -1).size() == 2; }));
    EXPECT_EQ(processes_below(getpid(), -1).front(), family.parent());
    EXPECT_TRUE(processes_below(getpid(), family.parent()).empty());
}

TEST(SlurmSuspension, MemoryGoesAtTheFirstSignalAndTheStepGoesOnAtTheSecond) {
    const test::TemporaryDirectory directory;
    const std::string xcli = directory.path() + "/xcli", said = directory.path() + "/said";
    std::ofstream(xcli) << "#!/bin/sh\necho \"$@\" >> " << said << "\n";
    chmod(xcli.c_str(), 0755);
    const Family family;
    ASSERT_TRUE(eventually([] { return processes_below(getpid(), -1).size() == 2; }));
    const std::vector<pid_t> all = processes_below(getpid(), -1);
    const std::string numbers = std::to_string(all[0]) + " " + std::to_string(all[1]) + "\n";
    const pid_t watch = watch_suspensions(xcli);
    ASSERT_GT(watch, 0);
    kill(family.parent(), SIGSTOP);  // as Slurm's SIGTSTP does
    ASSERT_EQ(waitpid(family.parent(), nullptr, WUNTRACED), family.parent());
    kill(watch, SIGCONT);  // without a suspension there is nothing to undo
    kill(watch, SIGTSTP);
    const std::string away = "suspend --memory " + numbers;
    EXPECT_TRUE(eventually([&] { return base::text_of_file(said) == away; })) << base::text_of_file(said);
    EXPECT_EQ(waitpid(family.parent(), nullptr, WCONTINUED | WNOHANG), family.parent());
    kill(watch, SIGCONT);
    const std::string back = away + "resume " + numbers;
    EXPECT_TRUE(eventually([&] { return base::text_of_file(said) == back; })) << base::text_of_file(said);
    end_watch(watch);
    EXPECT_EQ(kill(watch, 0), -1);
}

}  // namespace
}  // namespace xsched::slurm
