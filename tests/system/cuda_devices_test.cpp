// Several devices under the real xserver: what happens on one of them is no other's business.
#include "system/rm_rig.h"

namespace xsched::test {
namespace {

constexpr const char* kLongUs = "20000";  // worth an interrupt

class CudaDevices : public CudaOnRm {
protected:
    std::unique_ptr<CudaProgram> start_on(const std::string& name, int priority, const char* devices,
                                          const char* kernel_us) {
        return start_on_rm(name, priority, kernel_us, {{"CUDA_PROGRAM_DEVICES", devices}});
    }
    // Starts `low` and waits until it has used both devices.
    void start_low_on_both() {
        low = start_on("low", 0, "0,1", kLongUs);
        low->work();
        ASSERT_TRUE(eventually([&] { return low->done_on(0) > 0 && low->done_on(1) > 0; })) << low->process().err();
        low_rm = rm_of(low->pid());
        ASSERT_TRUE(low_rm->there());
    }
    // Returns whether, while the low program is kept off device 0, its work on device 1 continues.
    bool only_the_first_stands() {
        return eventually([&] {
            if (low_rm->disabled_on(0) == 0) return false;
            const uint64_t first = low->done_on(0);
            const uint64_t second = low->done_on(1);
            usleep(200'000);
            eventually([&] { return low->done_on(1) >= second + 5 || low->done_on(0) > first + 1; });
            return low_rm->disabled_on(1) == 0 && low->done_on(0) <= first + 1 && low->done_on(1) >= second + 5;
        });
    }

    std::unique_ptr<RmFile> low_rm;
};

TEST_F(CudaDevices, AProgramOnTwoMakesRoomOnTheOneThatIsWanted) {
    start_low_on_both();
    high = start_on("high", 10, "0", "100");
    high->work();
    EXPECT_TRUE(only_the_first_stands()) << low->process().err();
    high->rest();
    const uint64_t before = low->done_on(0);
    EXPECT_TRUE(eventually([&] { return low->done_on(0) > before; })) << "it does not go on";
    EXPECT_EQ(low_rm->disabled_on(0), 0u);
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
}

TEST_F(CudaDevices, OnAnotherDeviceNobodyIsInTheWay) {
    low = start_on("low", 0, "1", kLongUs);
    high = start_on("high", 10, "0", "100");
    low->work();
    high->work();
    ASSERT_TRUE(eventually([&] { return low->done() > 0 && high->done() > 0; })) << low->process().err();
    low_rm = rm_of(low->pid());
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before + 10; }));
    const Json queues = queues_of(low->pid());
    ASSERT_FALSE(queues.empty());
    for (const Json& queue : queues) EXPECT_EQ(queue.value("preemptions", 1), 0) << queue.dump();
    EXPECT_EQ(low_rm->state().disables, 0u);
    EXPECT_EQ(high->end(), 0);
    EXPECT_EQ(low->end(), 0);
}

TEST_F(CudaDevices, AKilledServerLeavesNeitherDisabled) {
    start_low_on_both();
    high = start_on("high", 10, "0,1", "100");
    high->work();
    EXPECT_TRUE(eventually([&] { return low_rm->disabled_on(0) != 0 && low_rm->disabled_on(1) != 0; }));
    server->stop(SIGKILL);
    EXPECT_TRUE(eventually([&] { return low_rm->disabled() == 0; })) << low->process().err();
    const uint64_t first = low->done_on(0);
    const uint64_t second = low->done_on(1);
    EXPECT_TRUE(eventually([&] { return low->done_on(0) > first && low->done_on(1) > second; }));
    EXPECT_EQ(low->end(), 0) << low->process().err();
    EXPECT_EQ(high->end(), 0);
}

}  // namespace
}  // namespace xsched::test
