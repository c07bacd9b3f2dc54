// A program with streams of several priorities that waits for them often: an urgent stream that waits for a less urgent
// one must not stand behind it. Without the starvation limit, which would hide that a second later each time.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

TEST(CudaInversion, NobodyIsSuspendedForGood) {
    const PrivateDirectory directory;
    ServerProcess server(directory, {"--starvation-limit-ms", "0"}, directory.environment());
    ASSERT_TRUE(server.ready()) << server.process().err();
    Environment environment = directory.environment();
    environment["LD_PRELOAD"] = getenv("TEST_SHIM");
    environment["XSCHED_CUDA_LIB"] = getenv("TEST_DRIVER");
    environment["XSCHED_SCHEDULER"] = "global";
    for (const char* seed : {"1", "2", "3"}) {
        Process checker({XSCHED_ORDER_CHECK, "--ops", XSCHED_OPERATIONS, "--seed", seed, "--favour", "synchronize",
                         "--stall", "20"},
                        environment);
        // The checker itself reports a hang.
        EXPECT_EQ(checker.wait(90'000), 0) << "seed " << seed << ": " << checker.out() << checker.err();
    }
}

}  // namespace
}  // namespace xsched::test
