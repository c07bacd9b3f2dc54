// A program that launches and then says nothing: it neither waits nor asks nor launches again. The read index of the
// hardware queue alone tells how far its stream is. So no other program gets the device before its last kernel runs.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class HipSilent : public CudaProcesses {
protected:
    // Starts both programs. `high` first runs short kernels with waits, so what the scheduler learns of their length is
    // wrong for the silent ones.
    void start_both(const Environment& more) {
        Environment observed{{"FAKE_HIP_HSA", TEST_HSA}, {"FAKE_HSA_LOCAL", "1"}, {"CUDA_PROGRAM_SILENT_US", "40000"}};
        observed.insert(more.begin(), more.end());
        low = start_program("low", 0, observed, {"-", "1000"});
        high = start_program("high", 10, observed, {"-", "100"});
        low->work();
        ASSERT_TRUE(low->advances()) << low->process().err();
        high->work();  // watched, so that their length is known
        ASSERT_TRUE(eventually([&] { return high->done() > 2000; })) << high->process().err();
        high->rest();
        ASSERT_TRUE(low->advances()) << low->process().err();
    }
    // Returns how many kernels of `low` are completed from its suspension until the silent kernels of `high` are.
    uint64_t done_meanwhile() {
        high->be_silent();
        EXPECT_TRUE(becomes_suspended(low->pid(), true));
        const uint64_t before = low->done();
        EXPECT_TRUE(eventually([&] { return high->silent_ended(); })) << high->process().err();
        return low->done() - before;
    }
    void expect_to_keep_the_device(const Environment& more) {
        start_both(more);
        // The end of the urgent program's last kernel is presumed. Until then the low program completes only what was
        // in flight.
        EXPECT_LE(done_meanwhile(), 2 * kStray);
        // No report says that the urgent program's work is over, and the low program continues nevertheless.
        EXPECT_TRUE(low->advances()) << low->process().err();
        high->rest();
        EXPECT_EQ(high->end(), 0) << high->process().err();
        EXPECT_EQ(low->end(), 0) << low->process().err();
    }
};

TEST_F(HipSilent, KeepsTheDeviceUntilItsLastKernelRuns) { expect_to_keep_the_device({}); }

// The silent program keeps the device also on hardware whose read index passes a packet when that starts, not when it
// ends.
TEST_F(HipSilent, LikewiseWhereTheIndexIsAhead) { expect_to_keep_the_device({{"FAKE_HSA_READS_AHEAD", "1"}}); }

}  // namespace
}  // namespace xsched::test
