// A HIP runtime that holds a stream's lock while the program waits in it, under the real xserver: a victim may be in
// such a call when it is stopped, at level 3 or 2. It goes on, whatever of ours would want the same lock.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kKernelUs = "5000";
constexpr int kRounds = 2;

struct Mode {
    const char* name;
    Environment environment;
};

class HipLocks : public CudaProcesses, public testing::WithParamInterface<Mode> {
protected:
    // Starts a victim whose batches last so long that it waits in the driver whenever something happens.
    std::unique_ptr<CudaProgram> start_victim(int round) {
        Environment more = GetParam().environment;
        more["CUDA_PROGRAM_BATCH"] = "30";
        return start_program("low" + std::to_string(round), 0, more, {"-", kKernelUs});
    }
    std::unique_ptr<CudaProgram> start_urgent(int round) {
        return start_program("high" + std::to_string(round), 10, GetParam().environment, {"-", "100"});
    }
};

// The victim launches and begins to wait in the driver while no other program is there, so the shim has prepared
// nothing for being suspended. Then an urgent program comes.
TEST_P(HipLocks, AVictimInsideTheDriverGoesOn) {
    for (int round = 0; round < kRounds; ++round) {
        low = start_victim(round);
        low->work();
        ASSERT_TRUE(eventually([&] { return !queues_of(low->pid()).empty(); })) << low->process().err();
        usleep(20'000);
        high = start_urgent(round);
        high->pause(5, 60'000);
        high->work();
        ASSERT_TRUE(high->advances()) << high->process().err();
        const uint64_t before = low->done();
        EXPECT_TRUE(eventually([&] { return low->done() > before; }, 5000)) << low->process().err();
        high->rest();
        EXPECT_TRUE(eventually([&] { return low->done() > before + 30; }, 5000)) << low->process().err();
        EXPECT_EQ(high->end(), 0) << high->process().err();
        EXPECT_EQ(low->end(), 0) << low->process().err();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, HipLocks,
    testing::Values(Mode{"Level3Synchronize", {{"XSCHED_INTERRUPT", "1"}, {"FAKE_HIP_SYNC_LOCK", "1"}}},
                    Mode{"Level3Copy",
                         {{"XSCHED_INTERRUPT", "1"}, {"FAKE_CUDA_COPY_LOCK", "1"}, {"CUDA_PROGRAM_COPIES", "1"}}},
                    Mode{"Level2Synchronize", {{"FAKE_HIP_SYNC_LOCK", "1"}}},
                    Mode{"Level2Copy", {{"FAKE_CUDA_COPY_LOCK", "1"}, {"CUDA_PROGRAM_COPIES", "1"}}},
                    Mode{"SignalMemory", {{"FAKE_HIP_CP_WAIT", "1"}, {"FAKE_HIP_SYNC_LOCK", "1"}}},
                    Mode{"SignalMemoryOutOfReach",
                         {{"FAKE_HIP_CP_WAIT", "1"}, {"FAKE_HIP_HIDDEN_SIGNALS", "1"}, {"FAKE_HIP_SYNC_LOCK", "1"}}},
                    // Devices whose gates are tried and found useless, so that only level 1 is left.
                    Mode{"StoresNotSeen", {{"FAKE_CUDA_BLIND_WAITS", "1"}, {"FAKE_HIP_SYNC_LOCK", "1"}}},
                    Mode{"GatesThatHoldNothing", {{"FAKE_CUDA_OPEN_GATES", "1"}, {"FAKE_HIP_SYNC_LOCK", "1"}}},
                    Mode{"SignalMemoryLevel3",
                         {{"XSCHED_INTERRUPT", "1"},
                          {"FAKE_HIP_CP_WAIT", "1"},
                          {"FAKE_HIP_SYNC_LOCK", "1"},
                          {"FAKE_CUDA_COPY_LOCK", "1"},
                          {"CUDA_PROGRAM_COPIES", "1"}}}),
    [](const auto& mode) { return std::string(mode.param.name); });

}  // namespace
}  // namespace xsched::test
