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
    for (int i = 0; i < 8; ++i) length.note(1000);
    length.note(1'000'000);
    EXPECT_EQ(length.usual_ns(), 1125);
    for (int i = 0; i < 100; ++i) length.note(10'000);
    EXPECT_NEAR(static_cast<double>(length.usual_ns()), 10'000, 100) << "bursts that stay long are usual";
}

// A program copies a little before its first real burst, or compiles for seconds.
TEST(BurstLength, WhatAProgramDidToBeginWithIsSoonForgotten) {
    for (const int64_t set_up : {60, 10'000}) {
        BurstLength length;
        length.note(set_up);
        for (int i = 0; i < 3; ++i) length.note(1100);
        EXPECT_NEAR(static_cast<double>(length.usual_ns()), static_cast<double>(set_up + 3 * 1100) / 4, 2);
    }
}

}  // namespace
}  // namespace xsched::sched
