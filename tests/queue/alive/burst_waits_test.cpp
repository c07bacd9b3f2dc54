#include "queue/alive/burst_waits.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace xsched::queue {
namespace {

class BurstWaitsTest : public ::testing::Test {
protected:
    // Plays bursts with these numbers of waits. Returns at which wait of the last burst the hold ended; 0: at none.
    uint32_t bursts(std::initializer_list<uint32_t> all) {
        uint32_t let_go = 0;
        for (const uint32_t number : all) {
            begin();
            let_go = 0;
            for (uint32_t i = 1; i <= number; ++i)
                if (wait()) let_go = let_go == 0 ? i : kTwice;
            now_ns_ += 10 * base::kMillisecond;
        }
        return let_go;
    }
    void begin() {
        waits_.burst_expected();
        waits_.burst_begun(now_ns_ + kLengthNs);
    }
    bool wait() { return waits_.wait_begun(now_ns_ += 10 * base::kMicrosecond); }

    static constexpr uint32_t kTwice = UINT32_MAX;
    static constexpr int64_t kLengthNs = 1 * base::kMillisecond;
    BurstWaits waits_;
    int64_t now_ns_ = base::kSecond;
};

TEST_F(BurstWaitsTest, WithTheLastOneOnceAllHadAsMany) {
    EXPECT_EQ(bursts({20, 20, 20, 20}), 0U);
    EXPECT_EQ(bursts({20}), 20U);
    EXPECT_EQ(bursts({20}), 20U);
    EXPECT_EQ(bursts({20, 20, 1}), 0U);
}

TEST_F(BurstWaitsTest, NotWhereTheirNumberVaries) {
    EXPECT_EQ(bursts({20, 20, 20, 20, 21}), 20U) << "that cannot be foreseen";
    EXPECT_EQ(bursts({21, 21}), 0U);
    EXPECT_EQ(bursts({20, 21, 20, 21, 20, 21, 20, 21, 20, 21, 20}), 0U);
    EXPECT_EQ(bursts({20, 20, 20, 20}), 20U);
}

// A burst without waits came too late for a hold, or not at all, so it says nothing about the number of waits.
TEST_F(BurstWaitsTest, BurstsOfWhichNothingIsKnownAreLeftOut) {
    bursts({20, 20, 20, 20});
    waits_.burst_expected();
    EXPECT_FALSE(wait());
    EXPECT_EQ(bursts({20}), 20U);
}

TEST_F(BurstWaitsTest, WaitsBetweenBurstsAreLeftOut) {
    for (int i = 0; i < 4; ++i) {
        bursts({20});
        EXPECT_FALSE(wait());
    }
    EXPECT_EQ(bursts({20}), 20U);
}

// If a burst launched more after its usual last wait, the keep-alives of the next bursts do not end at that wait.
// Otherwise another such burst would lose the device in its next pause.
TEST_F(BurstWaitsTest, NotForLongOnceABurstWentOnBehindItsLastWait) {
    bursts({20, 20, 20, 20});
    begin();
    while (!wait()) {
    }
    waits_.launched_behind(now_ns_);
    for (uint32_t i = 0; i < BurstWaits::kNotFor - 1; ++i) ASSERT_EQ(bursts({20}), 0U) << i;
    EXPECT_EQ(bursts({20}), 20U);
}

TEST_F(BurstWaitsTest, TheNextBurstsLaunchIsAnotherMatter) {
    bursts({20, 20, 20, 20, 20});
    waits_.launched_behind(now_ns_);
    EXPECT_EQ(bursts({20}), 20U);
}

}  // namespace
}  // namespace xsched::queue
