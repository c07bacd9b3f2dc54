#include "queue/alive/end_waits.h"

#include <gtest/gtest.h>

namespace xsched::queue {
namespace {

class EndWaitsTest : public ::testing::Test {
protected:
    void bursts(uint32_t count, bool with_wait) {
        for (uint32_t i = 0; i < count; ++i) {
            waits_.held();
            if (with_wait) waits_.wait_begun();
        }
    }
    EndWaits waits_;
};

TEST_F(EndWaitsTest, KnownOnceSeveralInARowEndedWithOne) {
    bursts(EndWaits::kEnough - 1, true);
    EXPECT_FALSE(waits_.known());
    bursts(1, true);
    EXPECT_TRUE(waits_.known());
}

TEST_F(EndWaitsTest, NotAnyMoreOnceOneDidNot) {
    bursts(2 * EndWaits::kEnough, true);
    bursts(1, false);
    bursts(1, true);
    EXPECT_FALSE(waits_.known());
    bursts(EndWaits::kEnough, true);
    EXPECT_TRUE(waits_.known());
}

TEST_F(EndWaitsTest, FurtherWaitsOfABurstCountForNothing) {
    bursts(1, true);
    for (uint32_t i = 0; i < EndWaits::kEnough; ++i) waits_.wait_begun();
    EXPECT_FALSE(waits_.known());
}

}  // namespace
}  // namespace xsched::queue
