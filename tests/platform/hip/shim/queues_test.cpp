// Which hardware queue each stream uses, as the shim comes to know it from the HSA runtime's table and its own calls;
// and what follows from it for streams that share one.
#include <set>
#include <vector>

#include "fake/hsa/fake_hsa.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

class HardwareQueues : public HipTest {
protected:
    void SetUp() override {
        if (std::getenv("FAKE_HIP_HSA") == nullptr) GTEST_SKIP() << "without the HSA stand-in";
        HipTest::SetUp();
    }
    // 0: not known.
    static uint32_t queue_of(hipStream_t stream) {
        HwQueueHandle hwq = 0;
        EXPECT_EQ(HipQueueGet(&hwq, stream), kXSchedSuccess);
        return xhip_queue_number(hwq);
    }
    std::vector<hipStream_t> make(int count) {
        std::vector<hipStream_t> streams;
        for (int i = 0; i < count; ++i) streams.push_back(new_stream());
        return streams;
    }
    static void destroy(const std::vector<hipStream_t>& streams) {
        for (hipStream_t stream : streams) EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
    }
    uint32_t used(hipStream_t stream) {
        EXPECT_EQ(noop(stream), hipSuccess);
        EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess);
        return queue_of(stream);
    }
    static bool dynamic() { return is_set("FAKE_HIP_DYNAMIC_QUEUES"); }
};

TEST_F(HardwareQueues, AFirstLaunchTellsWhichOneAStreamUses) {
    const auto streams = make(2);
    const uint32_t first = used(streams[0]), second = used(streams[1]);
    EXPECT_NE(first, 0u);
    EXPECT_NE(second, 0u);
    if (!dynamic()) {
        EXPECT_NE(first, second) << "there are enough";
    }
    destroy(streams);
}

// Streams that are never used take hardware queues too, since the runtime gives each stream a queue when it is made.
TEST_F(HardwareQueues, StreamsThatNobodyUsesTakeQueuesToo) {
    if (dynamic()) GTEST_SKIP() << "the runtime moves streams";
    const auto streams = make(33);
    const uint32_t first = used(streams[0]);
    std::set<uint32_t> others;
    unsigned shared = 0;
    for (size_t i = 1; i < streams.size(); ++i) {
        const uint32_t queue = used(streams[i]);
        others.insert(queue);
        shared += queue == first ? 1 : 0;
    }
    EXPECT_EQ(others.size(), 4u);
    EXPECT_EQ(shared, 8u) << "of 33 on four";
    destroy(streams);
}

TEST_F(HardwareQueues, AMoveIsNoticedAtTheNextLaunch) {
    if (!dynamic()) GTEST_SKIP() << "the runtime moves nobody";
    const auto streams = make(3);
    std::set<uint32_t> seen;
    // Set different priorities first: if all queues have one priority, the shim need not find out which of them share
    // hardware.
    ASSERT_EQ(XHintPriority(used_xqueue_of(streams[0]), 5), kXSchedSuccess);
    ASSERT_EQ(XHintPriority(used_xqueue_of(streams[1]), 0), kXSchedSuccess);
    for (int i = 0; i < 16; ++i) used(streams[1]);
    EXPECT_TRUE(xhip_streams_move());
    for (int round = 0; round < 8; ++round) seen.insert(used(streams[0]));
    EXPECT_GT(seen.size(), 1u);
    destroy(streams);
}

TEST_F(HardwareQueues, EachPriorityHasItsOwn) {
    const hipStream_t usual = new_stream(hipStreamNonBlocking, 0), urgent = new_stream(hipStreamNonBlocking, -1);
    EXPECT_NE(used(usual), used(urgent));
    destroy({usual, urgent});
}

}  // namespace
}  // namespace xsched::test
