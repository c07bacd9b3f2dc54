// A program with a keep-alive (queue/keep_alive.h) sees nothing of it: the order checker with something of ours behind
// every wait; and under the real xserver, beside a program that is only kept off for its sake.
#include <limits>

#include "support/small_server.h"
#include "system/rm_rig.h"

namespace xsched::test {
namespace {

// The order checker under a server that wants a keep-alive at every wait.
class CudaKeepAlive : public testing::Test {
protected:
    void check(const char* operations, const Environment& more = {}) {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = std::string(getenv("TEST_SHIM")) + ":" + getenv("TEST_FAKE_RM");
        environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
        environment["XSCHED_SCHEDULER"] = "global";
        environment["XSCHED_SOCKET"] = socket;
        environment["XSCHED_INTERRUPT"] = "1";
        environment["FAKE_RM_DIR"] = directory.path();
        environment["FAKE_CUDA_DELAY_US"] = "30";  // what does not wait is found out
        for (const auto& [name, value] : more) environment[name] = value;
        Process checker({XSCHED_ORDER_CHECK, "--ops", operations, "--seed", "5", "--favour", "synchronize", "--without",
                         "capture,graphs"},
                        environment);
        ASSERT_TRUE(server.wait_for_client());
        ipc::Header& header = server.region().header;
        header.keep_alive_until_ns = std::numeric_limits<int64_t>::max();
        header.keep_alive_wanted = 1;
        ipc::ring_directive(header);
        EXPECT_EQ(checker.wait(), 0) << checker.out() << checker.err();
    }
    uint32_t kept_alive() {
        uint32_t count = 0;
        for (const ipc::QueueSlot& slot : server.region().slots) count += slot.keep_alive.load();
        return count;
    }

    const PrivateDirectory directory;
    const std::string socket = directory.path() + "/xserver.sock";
    test::SmallServer server{socket};
};

TEST_F(CudaKeepAlive, NothingChangesPlaces) {
    check(XSCHED_OPERATIONS);
    EXPECT_GT(server.region().header.keep_alive_synchronizes, 0u);
    EXPECT_GT(kept_alive(), 0u) << server.region().header.keep_alive_synchronizes.load();
}

// What keeps the device may end before a call that frees memory, on a thread that launches nothing then.
TEST_F(CudaKeepAlive, NothingChangesPlacesWhereFreeingEndsIt) {
    check(XSCHED_OPERATIONS, {{"XSCHED_FREE_ENDS_KEEP_ALIVE", "1"}});
    EXPECT_GT(kept_alive(), 0u) << server.region().header.keep_alive_synchronizes.load();
}

// After a synchronize the program may touch its managed memory, which it may not while a kernel of ours runs.
TEST_F(CudaKeepAlive, NotWhereManagedMemoryIsTheHostsOrTheDevices) {
    check("3000", {{"FAKE_CUDA_NO_CONCURRENT_MANAGED", "1"}});
    EXPECT_EQ(server.region().header.keeps_alive, 0u);
    EXPECT_EQ(kept_alive(), 0u);
}

class CudaKeepAliveBeside : public CudaOnRm {};

TEST_F(CudaKeepAliveBeside, TheOtherIsOnlyKeptOffAndBothCompute) {
    low = start_on_rm("low", 0, "10000");
    high = start_on_rm("high", 10, "20");
    high->pause(8, 7000);
    low->work();
    ASSERT_TRUE(eventually([&] { return low->done() > 0; })) << low->process().err();
    const std::unique_ptr<RmFile> low_rm = rm_of(low->pid());
    ASSERT_TRUE(low_rm->there());
    high->work();
    EXPECT_TRUE(eventually([&] { return low_rm->state().kept_off >= 8; })) << low_rm->state().disables.load();
    high->rest();
    const uint64_t before = low->done();
    EXPECT_TRUE(eventually([&] { return low->done() > before; })) << "it does not go on";
    EXPECT_EQ(high->end(), 0) << high->process().err();
    EXPECT_EQ(low->end(), 0) << low->process().err();
    EXPECT_EQ(low_rm->disabled(), 0u);
}

}  // namespace
}  // namespace xsched::test
