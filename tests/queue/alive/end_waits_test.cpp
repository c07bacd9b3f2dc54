#include "queue/alive/end_waits.h"

#include <gtest/gtest.h>

namespace xsched::queue {
namespace {

class EndWaitsTest : public ::testing::Test {
protected:
    // Plays bursts whose holds end with a wait or do not. Returns whether the class expects, at the last burst's
    // begin, that the hold ends with a wait.
    bool bursts(uint32_t count, bool with_wait) {
        bool known = false;
        for (uint32_t i = 0; i < count; ++i) {
            known = waits_.held();
            if (with_wait) waits_.wait_begun();
        }
        return known;
    }
    EndWaits waits_;
};

TEST_F(EndWaitsTest, KnownOnceSeveralInARowEndedWithOne) {
    EXPECT_FALSE(bursts(EndWaits::kEnough, true)) << "nothing is known of the last one";
    EXPECT_TRUE(bursts(1, true));
}

TEST_F(EndWaitsTest, NotAnyMoreOnceOneDidNot) {
    bursts(2 * EndWaits::kEnough, true);
    bursts(1, false);
    EXPECT_FALSE(bursts(EndWaits::kEnough, true));
    EXPECT_TRUE(bursts(1, true));
}

TEST_F(EndWaitsTest, FurtherWaitsOfABurstCountForNothing) {
    bursts(1, true);
    for (uint32_t i = 0; i < EndWaits::kEnough; ++i) waits_.wait_begun();
    EXPECT_FALSE(bursts(1, true));
}

}  // namespace
}  // namespace xsched::queue
