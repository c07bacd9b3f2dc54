// Runs ordinary CUDA programs on the fake driver under the real xserver. Tests which program keeps which other one off,
// and the effect when a process is killed.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

TEST_F(CudaProcesses, TheMoreUrgentOneKeepsTheOtherOffWhileItHasWork) {
    start_both();
    EXPECT_TRUE(becomes_suspended(low->pid(), true));
    for (int round = 0; round < 3; ++round) {
        high->rest();
        EXPECT_TRUE(low->advances()) << "round " << round << ": its gate does not open again";
        high->work();
        EXPECT_TRUE(is_kept_off(*low, *high)) << "round " << round;
    }
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_TRUE(low->advances());
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaProcesses, KillingTheServerLetsEverybodyRun) {
    start_both();
    server->stop(SIGKILL);
    EXPECT_TRUE(low->advances(kTwoSecondsMs)) << "still kept off by a dead server";
    EXPECT_TRUE(high->advances(kTwoSecondsMs));
    // The low program logs the loss of the server after it has continued, which may take a moment.
    EXPECT_TRUE(eventually([&] {
        low->process().take_output();
        return low->process().err().find("xserver is lost") != std::string::npos;
    })) << low->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
    EXPECT_EQ(high->end(), 0);
}

TEST_F(CudaProcesses, KillingTheMoreUrgentOneLetsTheOtherRun) {
    start_both();
    ASSERT_EQ(kill(high->pid(), SIGKILL), 0);
    EXPECT_TRUE(low->advances(kTwoSecondsMs));
    EXPECT_TRUE(becomes_suspended(low->pid(), false));
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

// The urgent program keeps the device until its copy to pageable memory returns. The scheduler cannot tell this: it
// knows a wrong length of the kernels, and the call does not say that it waits.
TEST_F(CudaProcesses, ACopyToPageableMemoryKeepsTheDeviceUntilItsCallReturns) {
    const Environment silent{{"CUDA_PROGRAM_SILENT_US", "40000"}, {"CUDA_PROGRAM_SILENT_COPY", "1"}};
    low = start_program("low", 0, {}, {"-", "1000"});
    high = start_program("high", 10, silent, {"-", "100"});
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    high->work();
    ASSERT_TRUE(eventually([&] { return high->done() > 2000; })) << high->process().err();
    high->rest();
    ASSERT_TRUE(low->advances()) << low->process().err();
    high->be_silent();
    EXPECT_TRUE(becomes_suspended(low->pid(), true));
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return high->silent_ended(); })) << high->process().err();
    EXPECT_LE(low->done() - before, 2 * kStray);
    high->rest();
    EXPECT_TRUE(low->advances()) << low->process().err();
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaProcesses, WithoutValueOperationsItIsLevelOneAndOneLineSaysSo) {
    const Environment without{{"FAKE_CUDA_NO_MEMOPS", "1"}};
    low = start_program("low", 0, without);
    high = start_program("high", 10, without);
    low->work();
    ASSERT_TRUE(low->advances()) << low->process().err();
    high->work();
    EXPECT_TRUE(is_kept_off(*low, *high));
    const Json queues = queues_of(low->pid());
    ASSERT_FALSE(queues.empty());
    EXPECT_EQ(queues[0].value("level", 0), kPreemptLevelBlock);
    EXPECT_EQ(high->end(), 0);
    EXPECT_TRUE(low->advances());
    EXPECT_EQ(low->end(), 0);
    const std::string log = low->process().err();
    size_t lines = 0;
    for (size_t at = log.find("preempt level 1"); at != std::string::npos; at = log.find("preempt level 1", at + 1))
        ++lines;
    EXPECT_EQ(lines, 1u) << log;
}

TEST_F(CudaProcesses, StreamPrioritiesAreTheQueues) {
    auto urgent = start_program("urgent", 0, {}, {"-3"});
    auto ordinary = start_program("ordinary", 0, {}, {"0"});
    auto set = start_program("set", 7, {}, {"-3"});
    const std::vector<std::pair<CudaProgram*, int>> expected{{urgent.get(), 3}, {ordinary.get(), 0}, {set.get(), 7}};
    for (const auto& [program, priority] : expected) {
        program->work();
        ASSERT_TRUE(eventually([&] { return !queues_of(program->pid()).empty(); })) << program->process().err();
        EXPECT_EQ(queues_of(program->pid())[0].value("priority", -1000), priority);
        EXPECT_EQ(program->end(), 0);
    }
}

}  // namespace
}  // namespace xsched::test
