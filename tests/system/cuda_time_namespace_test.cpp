// Programs whose clock is another one than the server's, as in some containers and restored checkpoints: they keep
// their priorities, and say so much in their log and no more.
#include <sys/syscall.h>

#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr size_t kMostLines = 6;  // of a program's log as the tests have it; without another clock there are three
constexpr int kWatchedMs = 2500;  // each heartbeat would be taken for stale after half a second

class CudaTimeNamespace : public CudaProcesses, public ::testing::WithParamInterface<std::vector<std::string>> {
protected:
    void SetUp() override {
        starter = {"/usr/bin/unshare", "-T"};
        starter.insert(starter.end(), GetParam().begin(), GetParam().end());
        std::vector<std::string> words = starter;
        words.insert(words.end(), {"/usr/bin/readlink", "/proc/self/ns/time"});
        Process inside(words, {});
        char own[64] = "";
        if (inside.wait() != 0 || readlink("/proc/self/ns/time", own, sizeof(own) - 1) <= 0 ||
            inside.out().find(own) != std::string::npos)
            GTEST_SKIP() << "no time namespace can be made here: " << inside.err();
        start({"--starvation-limit-ms", "0"});
    }
    static size_t lines(const std::string& log, const std::string& what) {
        size_t count = 0;
        for (size_t at = log.find(what); at != std::string::npos; at = log.find(what, at + 1)) ++count;
        return count;
    }

    std::vector<std::string> starter;
};

TEST_P(CudaTimeNamespace, TheLessUrgentIsKeptOff) {
    ASSERT_NO_FATAL_FAILURE(start_both(starter));
    usleep(kWatchedMs * 1000);
    EXPECT_TRUE(is_kept_off(*low, *high));
    EXPECT_EQ(lines(low->process().err(), "xserver is lost"), 0U) << low->process().err();
    EXPECT_LE(lines(low->process().err(), "\n"), kMostLines) << low->process().err();
}

TEST_P(CudaTimeNamespace, TheMoreUrgentIsUrgent) {
    low = start_program("low", 0);
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    high = start_program("high", 10, {}, {}, starter);
    high->work();
    ASSERT_TRUE(high->advances()) << high->process().err();
    EXPECT_TRUE(is_kept_off(*low, *high));
    high->rest();
    EXPECT_TRUE(low->advances()) << "its bursts end";
    EXPECT_LE(lines(high->process().err(), "\n"), kMostLines) << high->process().err();
}

INSTANTIATE_TEST_SUITE_P(Clocks, CudaTimeNamespace,
                         ::testing::Values(std::vector<std::string>{"--monotonic", "100000"},
                                           std::vector<std::string>{"--monotonic", "-100"},
                                           std::vector<std::string>{"--boottime", "100000"},
                                           std::vector<std::string>{"--monotonic", "100000", "--boottime", "5000"}),
                         [](const auto& options) {
                             std::string name;
                             for (const char letter : options.param[0] + options.param[1])
                                 if (letter != '-') name += letter;
                             return name + (options.param[1][0] == '-' ? "behind" : "ahead") +
                                    std::to_string(options.index);
                         });

}  // namespace
}  // namespace xsched::test
