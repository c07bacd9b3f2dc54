// The promise of layout.h: a thread that says it sleeps, looks again and then sleeps is woken by every ring.
#include "ipc/layout.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace xsched::ipc {
namespace {

// Counts rings seen by a sleeper that follows the protocol; a lost wake-up shows as a wait of its full length.
TEST(Doorbell, NoRingIsLost) {
    constexpr uint32_t kRings = 20'000;
    const auto header = std::make_unique<Header>();
    std::atomic<uint32_t> seen{0};
    std::atomic<bool> overslept{false};
    std::thread server([&] {
        while (seen.load() < kRings && !overslept.load()) {
            const uint32_t noted = header->doorbell.load();
            seen.store(noted);
            if (noted >= kRings) return;
            header->server_asleep.store(1);
            if (header->doorbell.load() == noted) {
                const int64_t start = base::now_ns();
                base::futex_wait(header->doorbell, noted, 5 * base::kSecond);
                if (base::now_ns() - start > 4 * base::kSecond) overslept = true;
            }
            header->server_asleep.store(0);
        }
    });
    for (uint32_t i = 1; i <= kRings; ++i) {
        ring_doorbell(*header);
        // Now and then lets the sleeper really fall asleep.
        while (i % 64 == 0 && seen.load() < i && !overslept.load()) std::this_thread::yield();
    }
    server.join();
    EXPECT_FALSE(overslept.load());
    EXPECT_EQ(seen.load(), kRings);
}

TEST(Doorbell, DirectivesWakeTheAgent) {
    const auto header = std::make_unique<Header>();
    header->agent_asleep = 1;
    std::atomic<bool> awake{false};
    std::thread agent([&] {
        while (header->directive.load() == 0) base::futex_wait(header->directive, 0, 5 * base::kSecond);
        awake = true;
    });
    ring_directive(*header);
    agent.join();
    EXPECT_TRUE(awake.load());
}

// Moves the threads that sleep on `from` to `to`. Returns how many.
long move_sleepers(base::FutexWord& from, base::FutexWord& to) {
    return syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE, 0, static_cast<long>(INT_MAX), &to, from.load());
}

// A directive of the scheduler wakes only a few threads, even if very many threads of the client sleep on its word.
TEST(Doorbell, ADirectiveWakesAFewThreadsAlone) {
    constexpr long kThreads = kMostWoken + 20;
    const auto header = std::make_unique<Header>();
    base::FutexWord aside{0};
    header->agent_asleep = 1;
    std::vector<std::thread> threads;
    for (long i = 0; i < kThreads; ++i) threads.emplace_back([&] { base::futex_wait(header->directive, 0); });
    for (long asleep = 0; asleep < kThreads; std::this_thread::yield())
        asleep += move_sleepers(header->directive, aside);
    EXPECT_EQ(move_sleepers(aside, header->directive), kThreads);
    ring_directive(*header);
    EXPECT_EQ(move_sleepers(header->directive, aside), kThreads - kMostWoken);
    base::futex_wake_all(aside);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace xsched::ipc
