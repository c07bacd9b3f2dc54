#include "sched/pattern/burst_length.h"

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

}  // namespace
}  // namespace xsched::sched
