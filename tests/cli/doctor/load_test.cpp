// How busy others keep this machine, in the files that the kernel writes.
#include "cli/doctor/load.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

namespace xsched::cli {
namespace {

constexpr int64_t kWorksNs = 300'000'000;  // several ticks of the kernel's 10 ms

int64_t processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Works until the thread has had a fixed amount of processor time, which takes longer on a busy machine.
void work() {
    const int64_t begin = processor_ns();
    while (processor_ns() - begin < kWorksNs) {
    }
}

// Each part of the measured load lies between 0 and 1, and their sum is at most 1, whatever else runs on this machine.
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

// A child works while several watches measure the load. Only for the watch that knows the child as the server, the
// child does not count as another program.
TEST(LoadWatch, AServerIsNoOther) {
    const pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        work();
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, nullptr, WUNTRACED);
    const LoadWatch with(child), without(0);
    kill(child, SIGCONT);
    waitpid(child, nullptr, WUNTRACED);
    const Load before = without.stop(), one = with.stop(), after = without.stop();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_LT(one.others, std::max(before.others, after.others));
}

}  // namespace
}  // namespace xsched::cli
