#include "sched/pattern/starvation.h"

#include <gtest/gtest.h>

#include "sched/facts/times.h"

namespace xsched::sched::starvation_test {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr StarvationLimits kLimits{.limit_ns = 1'000 * kMs, .turn_ns = 10 * kMs};
constexpr int64_t kStart = 5'000 * kMs;

// Returns the state of a unit that completes something while it runs.
Starvation::Work ready_since(int64_t since_ns, int64_t command_ns = kMs) {
    return {.ready = true, .ready_since_ns = since_ns, .command_ns = command_ns, .progress_ns = INT64_MAX};
}

TEST(Starvation, GivesATurnAfterTheLimitAndEndsIt) {
    Starvation starvation(kStart);
    const auto work = ready_since(kStart);
    EXPECT_FALSE(starvation.kept_off(work, kLimits, kStart));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), kStart + kLimits.limit_ns);
    EXPECT_FALSE(starvation.kept_off(work, kLimits, kStart + kLimits.limit_ns - 1));

    const int64_t turn = kStart + kLimits.limit_ns;
    EXPECT_TRUE(starvation.kept_off(work, kLimits, turn));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), turn + kLimits.turn_ns);
    EXPECT_TRUE(starvation.kept_off(work, kLimits, turn + kLimits.turn_ns - 1));
    EXPECT_FALSE(starvation.kept_off(work, kLimits, turn + kLimits.turn_ns));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), turn + kLimits.turn_ns + kLimits.limit_ns) << "the clock starts anew";
}

TEST(Starvation, ATurnIsLongEnoughForOneCommand) {
    Starvation starvation(kStart);
    starvation.kept_off(ready_since(kStart, 50 * kMs), kLimits, kStart);
    const int64_t turn = kStart + kLimits.limit_ns;
    EXPECT_TRUE(starvation.kept_off(ready_since(kStart, 50 * kMs), kLimits, turn));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), turn + 50 * kMs);
}

TEST(Starvation, ACommandSaidToLastForEverDoesNotMakeATurnEndless) {
    Starvation starvation(kStart);
    const auto work = ready_since(kStart, 1'000'000 * kMs);
    starvation.kept_off(work, kLimits, kStart);
    EXPECT_TRUE(starvation.kept_off(work, kLimits, kStart + kLimits.limit_ns));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), kStart + 2 * kLimits.limit_ns);
}

// A starving unit that was taken off the device is given back by a call. A run that ends before this call has taken
// effect does not count as a run.
TEST(Starvation, ARunThatEndsBeforeItIsBackIsNone) {
    auto work = ready_since(kStart);
    for (const int64_t return_ns : {int64_t{0}, 800'000L}) {
        Starvation starvation(kStart);
        work.return_ns = return_ns;
        starvation.kept_off(work, kLimits, kStart);
        bool has_turn = false;
        for (int64_t at_ns = kStart; at_ns < kStart + 2 * kLimits.limit_ns && !has_turn; at_ns += 30 * kMs) {
            starvation.runs(work, kLimits, at_ns);
            has_turn = starvation.kept_off(work, kLimits, at_ns + 300'000);
        }
        EXPECT_EQ(has_turn, return_ns != 0) << return_ns;
    }
}

// Between the bursts of a more urgent unit the starving unit may run, but the driver may run others of its priority
// instead. If nothing of the unit completes, it still counts as starving.
TEST(Starvation, ARunInWhichNothingCompletesIsNone) {
    for (const int64_t command_ns : {int64_t{0}, kMs, 500 * kMs}) {
        auto work = ready_since(kStart, command_ns);
        work.progress_ns = kStart;
        Starvation starvation(kStart);
        bool has_turn = false;
        for (int64_t at_ns = kStart; at_ns < kStart + 2 * kLimits.limit_ns && !has_turn; at_ns += 30 * kMs) {
            has_turn = starvation.kept_off(work, kLimits, at_ns + kMs);
            if (!has_turn) starvation.runs(work, kLimits, at_ns + 20 * kMs);
        }
        EXPECT_EQ(has_turn, command_ns <= kMs) << "a long one has not had the time to complete; 0: none ever has";
    }
}

// A long command does not complete in each of its runs. Alone it had the device in them; beside others this is not
// known, and many brief ones count as one.
TEST(Starvation, BriefRunsOfALongCommandBesideOthersCountTogether) {
    const auto starves = [](bool beside, int64_t run_ns) {
        auto work = ready_since(kStart, 500 * kMs);
        work.progress_ns = kStart;
        work.beside = beside;
        Starvation starvation(kStart);
        bool has_turn = false;
        for (int64_t at_ns = kStart; at_ns < kStart + 2 * kLimits.limit_ns && !has_turn; at_ns += 100 * kMs) {
            has_turn = starvation.kept_off(work, kLimits, at_ns + kMs);
            if (!has_turn) starvation.runs(work, kLimits, at_ns + 100 * kMs - run_ns);
        }
        return has_turn;
    };
    EXPECT_TRUE(starves(true, kMs)) << "ten of 1 ms";
    EXPECT_FALSE(starves(true, 20 * kMs)) << "five of 20 ms are a tenth of the limit";
    EXPECT_FALSE(starves(false, kMs));
}

TEST(Starvation, WithoutWorkNobodyStarves) {
    Starvation starvation(kStart);
    EXPECT_FALSE(starvation.kept_off({}, kLimits, kStart));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), 0);
    EXPECT_FALSE(starvation.kept_off({}, kLimits, kStart + 100'000 * kMs));
}

TEST(Starvation, TheClockStartsWhenWorkComes) {
    Starvation starvation(kStart);
    starvation.kept_off({}, kLimits, kStart);
    const int64_t came = kStart + 300 * kMs;
    EXPECT_FALSE(starvation.kept_off(ready_since(came), kLimits, came + kMs));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), came + kLimits.limit_ns);
}

TEST(Starvation, TimeBeforeItWasTakenOffDoesNotCount) {
    Starvation starvation(kStart);
    starvation.runs(ready_since(kStart), kLimits, kStart);
    const int64_t off = kStart + 5'000 * kMs;
    EXPECT_FALSE(starvation.kept_off(ready_since(kStart), kLimits, off));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), off + kLimits.limit_ns);
}

TEST(Starvation, NeitherDoesAClientsWordForIt) {
    Starvation starvation(kStart);
    starvation.kept_off({}, kLimits, kStart);
    EXPECT_FALSE(starvation.kept_off(ready_since(1), kLimits, kStart + 10 * kMs));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), kStart + kLimits.limit_ns);
}

TEST(Starvation, ARunTooShortToBeOfUseDoesNotStopTheClock) {
    Starvation starvation(kStart);
    const auto work = ready_since(kStart);
    starvation.kept_off(work, kLimits, kStart);
    for (int i = 1; i < 10; ++i) {
        const int64_t at = kStart + i * 100 * kMs;
        starvation.runs(work, kLimits, at);
        EXPECT_FALSE(starvation.kept_off(work, kLimits, at + kLeastUseNs - 1));
    }
    EXPECT_TRUE(starvation.kept_off(work, kLimits, kStart + kLimits.limit_ns));
}

TEST(Starvation, ARealRunStopsTheClock) {
    Starvation starvation(kStart);
    const auto work = ready_since(kStart);
    starvation.kept_off(work, kLimits, kStart);
    starvation.runs(work, kLimits, kStart + 900 * kMs);
    const int64_t off = kStart + 900 * kMs + kLeastUseNs;
    EXPECT_FALSE(starvation.kept_off(work, kLimits, off));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), off + kLimits.limit_ns);
}

TEST(Starvation, ALaterBurstOfAnotherQueueDoesNotRestartTheClock) {
    Starvation starvation(kStart);
    starvation.kept_off(ready_since(kStart), kLimits, kStart);
    EXPECT_FALSE(starvation.kept_off(ready_since(kStart + 500 * kMs), kLimits, kStart + 600 * kMs));
    EXPECT_EQ(starvation.wake_at_ns(kLimits), kStart + kLimits.limit_ns);
}

TEST(Starvation, ATurnLastsThroughAMomentWithoutWork) {
    Starvation starvation(kStart);
    starvation.kept_off(ready_since(kStart), kLimits, kStart);
    const int64_t turn = kStart + kLimits.limit_ns;
    EXPECT_TRUE(starvation.kept_off(ready_since(kStart), kLimits, turn));
    EXPECT_TRUE(starvation.kept_off({}, kLimits, turn + kMs));
    EXPECT_TRUE(starvation.kept_off(ready_since(turn + 2 * kMs), kLimits, turn + 2 * kMs));
}

TEST(Starvation, CanBeSwitchedOff) {
    Starvation starvation(kStart);
    const StarvationLimits none{.limit_ns = 0, .turn_ns = 10 * kMs};
    EXPECT_FALSE(starvation.kept_off(ready_since(kStart), none, kStart));
    EXPECT_FALSE(starvation.kept_off(ready_since(kStart), none, kStart + 1'000'000 * kMs));
    EXPECT_EQ(starvation.wake_at_ns(none), 0);
}

TEST(Starvation, ATurnOfNoLengthStillLetsOneCommandBegin) {
    Starvation starvation(kStart);
    const StarvationLimits limits{.limit_ns = 100 * kMs, .turn_ns = 0};
    starvation.kept_off(ready_since(kStart, 0), limits, kStart);
    EXPECT_TRUE(starvation.kept_off(ready_since(kStart, 0), limits, kStart + 100 * kMs));
    EXPECT_FALSE(starvation.kept_off(ready_since(kStart, 0), limits, kStart + 101 * kMs));
}

}  // namespace
}  // namespace xsched::sched::starvation_test
