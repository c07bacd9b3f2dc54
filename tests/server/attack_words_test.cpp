// A client that writes into its memory what no queue ever says, as fast as it can: another user's decisions take at
// most twice as long. Rounds beside it alternate with rounds beside a process that computes instead, so that a busy
// machine is as busy in both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "server/attacking.h"
#include "server/hostile.h"

namespace xsched::test {
namespace {

constexpr int kRounds = 12;  // of each kind
constexpr int kSamples = 16;
constexpr int kTries = 3;  // what the machine does beside all of them differs
constexpr int64_t kGiveUpNs = kSlower * 5 * base::kSecond;
constexpr int64_t kMostRatio = kSlower == 1 ? 2 : 6;  // the sanitizers make memory that comes and goes dear
// Where rounds without the attack differ by more than that, the machine allows no verdict.
constexpr int64_t kMostSpread = 4;

int64_t median(std::vector<int64_t> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

class WordAttack : public UnderAttack, public ::testing::WithParamInterface<Attack> {
protected:
    // From an urgent queue's readiness to the directive for the other one; 0: there was none.
    static int64_t decision_ns(LowAndHigh& pair) {
        const auto becomes = [&](uint32_t suspended) {
            const int64_t give_up_ns = base::now_ns() + kGiveUpNs;
            while (pair.low.slot(0).suspended.load() != suspended)
                if (base::now_ns() > give_up_ns) return false;
            return true;
        };
        if (!becomes(0)) return 0;
        usleep(200);
        const int64_t began_ns = base::now_ns();
        pair.high.submit(0);
        if (!becomes(1)) return 0;
        const int64_t ns = base::now_ns() - began_ns;
        pair.high.complete(0);
        pair.low.complete(0);
        pair.low.submit(0);
        return ns;
    }
    static void measure(LowAndHigh& pair, std::vector<int64_t>& medians) {
        std::vector<int64_t> times;
        for (int i = 0; i < kSamples; ++i) {
            times.push_back(decision_ns(pair));
            ASSERT_NE(times.back(), 0) << "no decision";
        }
        medians.push_back(median(times));
    }
};

TEST_P(WordAttack, DelaysAnothersDecisionsByLittle) {
    LowAndHigh pair(socket());
    ASSERT_TRUE(pair.connected());
    pair.low.slot(0).priority = 150;  // above all that the attacker may have
    pair.high.slot(0).priority = 200;
    pair.low.slot(0).command_ns = pair.high.slot(0).command_ns = 1;  // so short that the server anticipates nothing
    pair.low.submit(0);
    Hostile hostile, computes;
    ASSERT_TRUE(hostile.attack(GetParam(), socket()));
    computes.burn(1);
    bool steady = false;
    for (int i = 0; i < kTries; ++i) {
        std::vector<int64_t> alone, beside;
        for (int round = 0; round < kRounds; ++round) {
            for (const bool attacked : {false, true}) {
                hostile.pause(!attacked);
                computes.pause(attacked);
                usleep(5'000);
                ASSERT_NO_FATAL_FAILURE(measure(pair, attacked ? beside : alone));
            }
        }
        std::sort(alone.begin(), alone.end());
        printf("%s: p50 %lld us, else %lld us (rounds: %lld to %lld)\n", GetParam().name,
               static_cast<long long>(median(beside) / 1000), static_cast<long long>(median(alone) / 1000),
               static_cast<long long>(alone.front() / 1000), static_cast<long long>(alone.back() / 1000));
        steady = steady || alone[kRounds * 3 / 4] <= kMostSpread * alone[kRounds / 4];
        if (median(beside) > kMostRatio * median(alone)) continue;
        expect_answers_after_little_work();
        return;
    }
    if (!steady) GTEST_SKIP() << "no verdict: without the attack the machine is not steady";
    FAIL() << "each time more than " << kMostRatio << " times as long";
}

INSTANTIATE_TEST_SUITE_P(Flips, WordAttack, ::testing::ValuesIn(kFlips),
                         [](const auto& attack) { return std::string(attack.param.name); });

}  // namespace
}  // namespace xsched::test
