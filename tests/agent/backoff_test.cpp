#include "agent/backoff.h"

#include <gtest/gtest.h>

namespace xsched::agent {
namespace {

using base::kMillisecond;
using base::kSecond;

TEST(Backoff, TriesAtOnceThenMoreAndMoreRarely) {
    Backoff backoff;
    for (const int64_t expected_ms : {0, 20, 40, 80, 160, 320, 640, 1000, 1000})
        EXPECT_EQ(backoff.take(), expected_ms * kMillisecond);
}

TEST(Backoff, BeginsAnewAfterAServerThatStayed) {
    Backoff backoff;
    for (int i = 0; i < 5; ++i) backoff.take();
    backoff.came(kSecond);
    EXPECT_FALSE(backoff.lost(2 * kSecond));
    EXPECT_EQ(backoff.take(), 0);
    EXPECT_EQ(backoff.take(), 20 * kMillisecond);
}

TEST(Backoff, AServerThatIsLostAtOnceCountsAsNone) {
    Backoff backoff;
    for (const int64_t expected_ms : {0, 20, 40, 80}) {
        EXPECT_EQ(backoff.take(), expected_ms * kMillisecond);
        backoff.came(kSecond);
        EXPECT_TRUE(backoff.lost(2 * kSecond - 1));
    }
}

TEST(Backoff, AServerThatRefusesIsNotAskedAgainSoon) {
    Backoff backoff;
    backoff.take();
    backoff.refused();
    EXPECT_EQ(backoff.take(), 30 * kSecond);
    EXPECT_EQ(backoff.take(), kSecond) << "unless it refuses again";
}

}  // namespace
}  // namespace xsched::agent
