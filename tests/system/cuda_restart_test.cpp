// A supervised server is killed while two programs compete: how soon the urgent one keeps the other off again, and that
// programs notice no more than that. XSCHED_TEST_KILLS: how many times.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr int kUsualRestarts = 3;
constexpr int64_t kMostNs = 300 * base::kMillisecond;
// The longest time until a new server schedules. A server under a sanitizer gets more: it takes twice as long to
// start even on a quiet machine.
int64_t most_ns() { return getenv("XSCHED_SANITIZER_RUNTIME") != nullptr ? 5 * kMostNs : kMostNs; }

class CudaRestart : public CudaProcesses {
protected:
    void SetUp() override {
        supervisor = std::make_unique<Process>(
            std::vector<std::string>{binary("xserver"), "--starvation-limit-ms", "0", "--socket", socket()},
            directory.environment());
        ASSERT_TRUE(supervisor->wait_for_output("listening on")) << supervisor->err();
    }
    pid_t server_pid() { return answer_of_server(socket(), {{"cmd", "server"}}).value("pid", 0); }
    // Returns whether a server later than `before` says that `program` is suspended.
    bool is_suspended_by_successor(const CudaProgram& program, pid_t before) {
        return server_pid() != before && is_suspended(program.pid());
    }
    // Returns how long it took until `low` was suspended again.
    int64_t kill_server() {
        const pid_t before = server_pid();
        EXPECT_GT(before, 0);
        const int64_t began = base::now_ns();
        EXPECT_EQ(kill(before, SIGKILL), 0);
        EXPECT_TRUE(eventually([&] { return is_suspended_by_successor(*low, before); }))
            << low->process().err() << supervisor->err();
        return base::now_ns() - began;
    }

    std::unique_ptr<Process> supervisor;
};

TEST_F(CudaRestart, UrgentWorkIsUrgentAgainWithinThreeTenthsOfASecond) {
    start_both();
    const auto kills = static_cast<size_t>(count_of("XSCHED_TEST_KILLS", kUsualRestarts));
    std::vector<int64_t> took;
    for (size_t i = 0; i < kills; ++i) {
        usleep(1'050'000);  // a server that lived for a second gets its successor at once
        took.push_back(kill_server());
        ASSERT_FALSE(HasFailure()) << "kill " << i;
    }
    std::sort(took.begin(), took.end());
    std::printf("median %.1f ms, worst %.1f ms of %zu kills\n", static_cast<double>(took[kills / 2]) / 1e6,
                static_cast<double>(took.back()) / 1e6, kills);
    EXPECT_LT(took[kills / 2], most_ns());
    EXPECT_TRUE(is_kept_off(*low, *high));
    high->rest();
    EXPECT_TRUE(low->advances()) << "its gate does not open again";
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaRestart, AServerThatStandsStillIsReplaced) {
    start_both();
    const pid_t before = server_pid();
    ASSERT_EQ(kill(before, SIGSTOP), 0);
    EXPECT_TRUE(eventually([&] { return is_suspended_by_successor(*low, before); })) << low->process().err();
    EXPECT_TRUE(is_kept_off(*low, *high));
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

// No request of a person is lost.
TEST_F(CudaRestart, SuspensionsAndHintsSurvive) {
    start_both();
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "hint"}, {"pid", low->pid()}, {"priority", 20}}).value("ok", false));
    ASSERT_TRUE(is_kept_off(*high, *low));
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "suspend"}, {"pid", low->pid()}}).value("ok", false));
    ASSERT_TRUE(is_kept_off(*low, *high));
    kill_server();
    EXPECT_TRUE(is_kept_off(*low, *high)) << "more urgent, but suspended by a person";
    ASSERT_TRUE(TestTool(socket()).ask({{"cmd", "resume"}, {"pid", low->pid()}}).value("ok", false));
    EXPECT_TRUE(is_kept_off(*high, *low)) << "its priority by xcli hint is forgotten";
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaRestart, AServerThatWasToldToEndIsNotStartedAgain) {
    start_both();
    ASSERT_EQ(kill(supervisor->pid(), SIGTERM), 0);
    EXPECT_EQ(supervisor->wait(), 0) << supervisor->err();
    EXPECT_TRUE(low->advances()) << "still kept off by nobody";
    usleep(300'000);
    EXPECT_EQ(server_pid(), 0);
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

}  // namespace
}  // namespace xsched::test
