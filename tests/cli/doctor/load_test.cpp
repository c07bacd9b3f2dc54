// How busy others keep this machine, in the files that the kernel writes.
#include "cli/doctor/load.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

namespace xsched::cli {
namespace {

constexpr int64_t kWorksNs = 300'000'000;  // several ticks of the kernel's 10 ms

void work() {
    const int64_t begin = base::now_ns();
    while (base::now_ns() - begin < kWorksNs) {
    }
}

pid_t working_child() {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    work();
    pause();
    _exit(0);
}

// The parts stay parts, whatever else runs on this machine.
TEST(LoadWatch, PartsMakeAWhole) {
    const LoadWatch watch(0);
    work();
    const Load load = watch.stop();
    for (const double part : {load.others, load.stolen, load.idle}) {
        EXPECT_GE(part, 0);
        EXPECT_LE(part, 1);
    }
    EXPECT_LE(load.others + load.stolen + load.idle, 1.01);
}

// Both watches see the same span; to one of them the child is the server.
TEST(LoadWatch, AServerIsNoOther) {
    const pid_t child = working_child();
    const LoadWatch with(child), without(0);
    work();
    work();
    const Load one = with.stop(), other = without.stop();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_LT(one.others, other.others);
}

}  // namespace
}  // namespace xsched::cli
