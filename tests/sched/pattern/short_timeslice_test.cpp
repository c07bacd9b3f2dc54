#include "sched/pattern/short_timeslice.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched::short_timeslice_test {
namespace {

using testing::kMs;
using testing::kSecond;
using testing::kStart;
using testing::kUs;

// Returns for how long a short timeslice counts as usable for a program that always has work and completes something
// every `every_ns` (0: never); a second at most.
int64_t usable_for_ns(int64_t every_ns, int64_t command_ns) {
    ShortTimeslice slice;
    int64_t now_ns = kStart;
    for (; now_ns < kStart + kSecond && slice.usable(now_ns); now_ns += kMs) {
        const int64_t progress_ns = every_ns == 0 ? 0 : now_ns - (now_ns - kStart) % every_ns;
        slice.observe(true, progress_ns, command_ns, now_ns);
    }
    return now_ns - kStart;
}

TEST(ShortTimeslice, IsUsableWhileSomethingCompletes) {
    EXPECT_EQ(usable_for_ns(200 * kMs, 50 * kUs), kSecond);
    EXPECT_EQ(usable_for_ns(0, 50 * kUs), ShortTimeslice::kStallNs + kMs);
}

TEST(ShortTimeslice, ALongCommandTakesItsTime) {
    EXPECT_EQ(usable_for_ns(0, 50 * kMs), kSampleCommands * 50 * kMs + kMs);
    EXPECT_EQ(usable_for_ns(700 * kMs, 50 * kMs), kSecond);
}

TEST(ShortTimeslice, NobodyStallsWithoutWorkOrWhileSuspended) {
    ShortTimeslice slice;
    for (int64_t now_ns = kStart; now_ns < kStart + 10 * kSecond; now_ns += 100 * kMs) {
        slice.observe(false, 0, kMs, now_ns);
        EXPECT_TRUE(slice.usable(now_ns));
        EXPECT_EQ(slice.due_ns(), 0);
    }
}

// A victim that runs without progress between its suspensions (a more urgent unit's bursts) uses up its stall time as
// well: the times between add up.
TEST(ShortTimeslice, WhatItRunsBetweenSuspensionsAddsUp) {
    ShortTimeslice slice;
    int64_t now_ns = kStart;
    for (; now_ns < kStart + kSecond && slice.usable(now_ns); now_ns += 10 * kMs) {
        slice.observe(true, 0, kMs, now_ns);
        slice.observe(false, 0, kMs, now_ns + 5 * kMs);
    }
    EXPECT_EQ(now_ns - kStart, 2 * ShortTimeslice::kStallNs + 10 * kMs);
}

TEST(ShortTimeslice, UnlessSomethingCompletesInOneOfThem) {
    ShortTimeslice slice;
    for (int64_t now_ns = kStart; now_ns < kStart + 10 * kSecond; now_ns += 10 * kMs) {
        const int64_t progress_ns = now_ns - (now_ns - kStart) % (500 * kMs);
        slice.observe(true, progress_ns, kMs, now_ns);
        slice.observe(false, 0, kMs, now_ns + 5 * kMs);
        ASSERT_TRUE(slice.usable(now_ns));
    }
}

TEST(ShortTimeslice, SaysWhenToLookAgain) {
    ShortTimeslice slice;
    slice.observe(true, 0, kMs, kStart);
    EXPECT_EQ(slice.due_ns(), kStart + ShortTimeslice::kStallNs);
    slice.observe(true, kStart + 50 * kMs, kMs, kStart + 60 * kMs);
    EXPECT_EQ(slice.due_ns(), kStart + 50 * kMs + ShortTimeslice::kStallNs);
}

TEST(ShortTimeslice, EachPauseIsLonger) {
    ShortTimeslice slice;
    int64_t now_ns = kStart;
    const auto pause_ns = [&] {
        while (slice.usable(now_ns)) slice.observe(true, 0, kMs, now_ns += kMs);
        const int64_t begin_ns = now_ns;
        while (!slice.usable(now_ns)) slice.observe(true, 0, kMs, now_ns += 100 * kMs);
        return now_ns - begin_ns;
    };
    EXPECT_EQ(pause_ns(), kLatelyNs);
    EXPECT_EQ(pause_ns(), 2 * kLatelyNs);
    for (int i = 0; i < 8; ++i) pause_ns();
    EXPECT_EQ(pause_ns(), BackOff::kLongestNs);
    for (int i = 0; i < 11; ++i) {  // it gets on
        now_ns += BackOff::kLongestNs;
        slice.observe(true, now_ns, kMs, now_ns);
    }
    EXPECT_EQ(pause_ns(), kLatelyNs);
}

}  // namespace
}  // namespace xsched::sched::short_timeslice_test
