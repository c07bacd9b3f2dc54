// Threads enqueue while others suspend, resume, reconfigure and drop the connection at random: every thread's
// commands run exactly once and in its own order, and nothing is left behind.
#include <gtest/gtest.h>

#include <random>

#include "fake/device/fake_device.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::fake::Traits;

constexpr int kThreads = 3;
constexpr int kPerThread = 4000;

void chaos(FakeDevice& device, std::atomic<bool>& done, unsigned seed) {
    std::mt19937 random(seed);
    while (!done) {
        switch (random() % 6) {
            case 0: device.queue().suspend(kQueueSuspendFlagNone); break;
            case 1: device.slot().suspended = 1; break;
            case 2: device.queue().set_launch_config(1 + random() % 20, 1 + random() % 20); break;
            default:
                device.queue().resume(kQueueResumeFlagNone);
                device.slot().suspended = 0;
                device.queue().apply_directive();
        }
        if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    }
}

class XQueueRandom : public testing::TestWithParam<std::tuple<Traits, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Seeds, XQueueRandom,
                         testing::Combine(testing::Values(Traits{}, Traits{.holds = false},
                                                          Traits{.holds = false, .levels = 0b1110}),
                                          testing::Values(1u, 2u, 3u)));

TEST_P(XQueueRandom, EveryCommandRunsOnceAndInOrder) {
    const auto& [traits, seed] = GetParam();
    FakeDevice device(traits);
    device.run_freely();
    std::atomic<bool> done{false};
    std::thread disturber([&] { chaos(device, done, seed); });
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kPerThread; ++i) device.enqueue(t * kPerThread + i);
        });
    for (auto& thread : threads) thread.join();
    done = true;
    disturber.join();
    device.queue().resume(kQueueResumeFlagNone);
    device.slot().suspended = 0;
    device.queue().apply_directive();
    ASSERT_EQ(device.queue().wait_all(), kXSchedSuccess);
    const std::vector<int> executed = device.executed();
    ASSERT_EQ(executed.size(), static_cast<size_t>(kThreads * kPerThread));
    std::vector<int> next(kThreads);
    for (int t = 0; t < kThreads; ++t) next[t] = t * kPerThread;
    for (int id : executed) ASSERT_EQ(id, next[id / kPerThread]++);
}

}  // namespace
