// The first burst of a program, and the first after its pattern has changed, beside a victim; and what that costs it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/beside_low.h"
#include "sim/random.h"
#include "support/sanitized.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

constexpr double kLowMs[] = {0.05, 0.3, 3, 30};
constexpr const char* kA = "";
constexpr const char* kB = ", sync_every = 5";
constexpr const char* kC = ", gap_us = 60";
constexpr uint32_t kChangeAfter = 40;

constexpr const char* kArrival = "arrival = { kind = 'closed', think_ms = [12, 18] }\n";
std::string burst_of(const char* shape) {
    return std::string("burst = { kernels = 100, kernel_us = 7") + shape + " }\n";
}
std::string pattern(const char* shape) { return kArrival + burst_of(shape); }
std::string changed_pattern(const char* before, const char* after) {
    return pattern(before) + "change = { after = " + std::to_string(kChangeAfter) + ", kernels = 100, kernel_us = 7" +
           after + " }\n";
}

TEST(FirstBursts, AKnownProgramsTakeNoLongerThanLaterOnes) {
    for (const char* shape : {kA, kB, kC}) {
        for (const double low_ms : kLowMs) {
            const Seen seen = run_beside_low(beside_low(pattern(shape), low_ms));
            const int64_t later_us = seen.later_us(20);
            for (size_t i = 0; i < 3; ++i)
                EXPECT_LE(seen.bursts_us[i], later_us * 21 / 20) << i << ':' << shape << " beside " << low_ms;
        }
    }
}

// The first burst of a program without stored habits waits for one call, since nothing is known yet of how it uses the
// device.
TEST(FirstBursts, ThatOfAProgramNeverHeardOfWaitsForACall) {
    for (const char* shape : {kA, kB, kC}) {
        for (const double low_ms : kLowMs) {
            const Seen seen = run_beside_low(beside_low("cold = 1\n" + pattern(shape), low_ms,
                                                        "duration_s = 2\n[device]\nkeep_alive_ready_us = 1000"));
            EXPECT_LE(seen.bursts_us[0], seen.later_us(20) + 650) << shape << " beside " << low_ms;
            for (size_t i = 1; i < 4; ++i)
                EXPECT_LE(seen.bursts_us[i], seen.later_us(20) * 11 / 10) << i << ':' << shape << " beside " << low_ms;
        }
    }
}

// After bursts without pauses, a program begins to pause. Its victim is only kept off by a short timeslice, with
// which each pause lets the victim run; the bursts must take no longer than later.
TEST(FirstBursts, OneThatPausesWhereNoneDidTakesNoLonger) {
    for (const double low_ms : kLowMs) {
        const Seen seen = run_beside_low(beside_low(changed_pattern(kA, kB), low_ms));
        ASSERT_GT(seen.bursts_us.size(), kChangeAfter + 20U);
        const int64_t later_us = seen.later_us(kChangeAfter + 10);
        EXPECT_LE(seen.bursts_us[kChangeAfter], later_us * 11 / 10) << low_ms;
        EXPECT_LE(seen.bursts_us[kChangeAfter + 1], later_us * 11 / 10) << low_ms;
    }
}

TEST(FirstBursts, AfterNoChangeTheyTakeMuchLonger) {
    for (const char* before : {kA, kB, kC}) {
        for (const char* after : {kA, kB, kC}) {
            for (const double low_ms : kLowMs) {
                if (test::kSanitized && low_ms < 3) continue;  // brief kernels take longest
                const Seen seen = run_beside_low(beside_low(changed_pattern(before, after), low_ms));
                EXPECT_LE(seen.bursts_us[kChangeAfter], seen.later_us(kChangeAfter + 10) * 13 / 10)
                    << before << " then" << after << " beside " << low_ms;
            }
        }
    }
}

// The program's think times are longer than the device is reserved for a newcomer. Without the habits of its last run
// each of its first bursts would find a victim on the device.
TEST(FirstBursts, TheNextRunBeginsWithWhatTheLastOneTaught) {
    Workload workload = beside_low(
        "arrival = { kind = 'closed', think_us = [450, 600] }\nburst = { kernels = 10, kernel_us = 7 }", 0.05);
    World last(workload, Scheduling::kServer, nullptr);
    last.run_until(last.begin_ns() + workload.duration_ns);
    workload.programs[0].last_run = last.programs()[0]->process().habits();
    ASSERT_TRUE(workload.programs[0].last_run.known());
    const Seen seen = run_beside_low(workload);
    const std::vector<int64_t>& before_ns = last.programs()[0]->results().latency_ns;
    EXPECT_GT(before_ns[4], 200'000);
    for (size_t i = 1; i < 8; ++i) EXPECT_LE(seen.bursts_us[i], seen.later_us(20) * 11 / 10) << i;
}

// Returns the victim's use of the device with precautions, less its use without.
double gain_of_low(Workload workload) {
    const double with = run_beside_low(workload).low_share;
    workload.settings.precautions = false;
    return with - run_beside_low(workload).low_share;
}

constexpr double kAtOnce = 0.01 / 2;  // 10 ms of two seconds

TEST(FirstBursts, PrecautionsCostTheVictimTwoPercentAtMost) {
    for (const char* shape : {kA, kB, kC})
        for (const double low_ms : {0.05, 0.3, 3.0})
            EXPECT_GT(gain_of_low(beside_low(pattern(shape), low_ms)), -0.02 - kAtOnce) << shape << " " << low_ms;
}

// First bursts cost the victim little beside random urgent programs, too. A kernel of the victim's more or less is
// chance.
TEST(FirstBursts, NeitherDoTheyBesideAnyRandomProgram) {
    constexpr uint64_t kSeeds = test::kSanitized ? 10 : 40;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Random random(seed);
        const auto number = [&random](int64_t least, int64_t most) {
            return std::to_string(least + random.below(most - least + 1));
        };
        const std::string arrivals[] = {
            "kind = 'closed', think_us = [" + number(50, 500) + ", " + number(500, 9000) + "]",
            "kind = 'poisson', rate_per_s = " + number(20, 800), "kind = 'periodic', period_us = " + number(700, 9000)};
        std::string burst = "kernels = [1, " + number(2, 60) + "], kernel_us = [3, " + number(4, 40) + "]";
        if (random.below(2) == 0) burst += ", sync_every = " + number(1, 9);
        const std::string high = "arrival = { " + arrivals[random.below(3)] + " }\nburst = { " + burst +
                                 " }\nchange = { after = 50, " + "kernels = " + number(1, 50) +
                                 ", kernel_us = 7, sync_every = " + number(0, 8) + " }\n";
        const double low_ms = static_cast<double>(20 + random.below(2000)) / 1e3;
        EXPECT_GT(gain_of_low(beside_low(high, low_ms)), -0.02 - kAtOnce - low_ms / 1e3)
            << high << "seed " << seed << " beside " << low_ms;
    }
}

}  // namespace
}  // namespace xsched::sim
