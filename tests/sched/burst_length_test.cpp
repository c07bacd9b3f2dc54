#include "sched/burst_length.h"

#include <gtest/gtest.h>

namespace xsched::sched {
namespace {

TEST(BurstLength, TheFirstTells) {
    BurstLength length;
    EXPECT_EQ(length.long_from_ns(), 0);
    length.note(1000);
    EXPECT_EQ(length.long_from_ns(), 2000);
}

TEST(BurstLength, OneLongBurstMovesItLittle) {
    BurstLength length;
    length.note(1000);
    length.note(1'000'000);
    EXPECT_EQ(length.usual_ns(), 1125);
    for (int i = 0; i < 100; ++i) length.note(10'000);
    EXPECT_NEAR(static_cast<double>(length.usual_ns()), 10'000, 100) << "bursts that stay long are usual";
}

TEST(BurstLength, ShortBurstsDoWithoutACallOnceTheirLengthIsKnown) {
    BurstLength length;
    for (uint32_t i = 0; i < BurstLength::kEnough; ++i) {
        EXPECT_EQ(length.without_call_ns(), 0);
        length.note(1'000'000);
    }
    EXPECT_EQ(length.without_call_ns(), 1'250'000);
    BurstLength longer;
    for (uint32_t i = 0; i < 100; ++i) longer.note(BurstLength::kShortNs + 8);
    EXPECT_EQ(longer.without_call_ns(), 0);
}

TEST(BurstLength, AWayThatIsWorseIsTriedNowAndThen) {
    BurstLength length;
    for (uint32_t i = 0; i < BurstLength::kEnough; ++i) length.note(1'000'000);
    uint32_t without = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        const bool waits = length.without_call_ns() != 0;
        without += waits ? 1 : 0;
        length.note(waits ? 1'500'000 : 1'000'000, waits);
    }
    EXPECT_GE(without, BurstLength::kEnough);
    EXPECT_LE(without, BurstLength::kEnough + 1000 / BurstLength::kTryEvery + 1);
    for (uint32_t i = 0; i < 100; ++i) length.note(900'000, true);
    EXPECT_NE(length.without_call_ns(), 0) << "it is better by now";
}

}  // namespace
}  // namespace xsched::sched
