// Threads wait in front of calls that use the device, while its memory is being moved.
#include "platform/stream/shim/device_use.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "support/eventually.h"

namespace xsched::stream {
namespace {

class DeviceUses : public ::testing::Test {
protected:
    void SetUp() override { g_memory_moves = true; }
    void TearDown() override {
        let_threads_on();
        g_memory_moves = false;
    }
};

TEST_F(DeviceUses, NoThreadIsInsideWhileAllAreKeptOff) {
    constexpr int kThreads = 6;
    std::atomic<int> inside{0};
    std::atomic<int> uses{0};
    std::atomic<bool> over{false};
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            while (!over) {
                DeviceUse use;
                ++inside;
                ++uses;
                --inside;
                use.leave();
                std::this_thread::yield();
            }
        });
    for (int round = 0; round < 200; ++round) {
        const int before = uses;
        ASSERT_TRUE(test::eventually([&] { return uses > before; }));
        ASSERT_TRUE(keep_threads_off(10 * base::kSecond));
        EXPECT_EQ(inside, 0);
        const int kept = uses;
        std::this_thread::yield();
        EXPECT_EQ(uses, kept) << "a thread went on";
        let_threads_on();
    }
    over = true;
}

TEST_F(DeviceUses, AThreadThatStaysInsideIsNotWaitedForForever) {
    DeviceUse use;
    EXPECT_FALSE(keep_threads_off(20 * base::kMillisecond));
    std::atomic<bool> passed{false};
    std::jthread other([&] {
        DeviceUse its;
        its.leave();
        passed = true;
    });
    EXPECT_TRUE(test::eventually([&] { return passed.load(); })) << "the others go on";
    use.leave();
    EXPECT_TRUE(keep_threads_off(base::kSecond));
}

TEST_F(DeviceUses, LeavingTwiceCountsOnce) {
    DeviceUse use;
    use.leave();
    use.leave();
    DeviceUse other;
    EXPECT_FALSE(keep_threads_off(base::kMillisecond));
    other.leave();
}

TEST_F(DeviceUses, ProgramsWhoseMemoryStaysAreNotCounted) {
    g_memory_moves = false;
    DeviceUse use;
    EXPECT_TRUE(keep_threads_off(base::kSecond));
    use.leave();
}

}  // namespace
}  // namespace xsched::stream
