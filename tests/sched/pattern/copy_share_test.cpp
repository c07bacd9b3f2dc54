#include "sched/pattern/copy_share.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using testing::kSecond;
using testing::kStart;

TEST(CopyShare, KernelsWithACopyNowAndThen) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 0, 20 * i, kStart);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, ACopyAndTheEventBehindIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 100; ++i) share.observe(i, 0, 2 * i, kStart);
    EXPECT_TRUE(share.mostly());
}

// A program that serves requests with a copy each way around one long kernel counts as one that only copies if the
// copies are large.
TEST(CopyShare, LargeCopiesAreAllThatItDoes) {
    constexpr uint64_t kMib = uint64_t{1} << 20;
    CopyShare large;
    CopyShare small;
    for (uint64_t i = 1; i < 100; ++i) {
        large.observe(i, 16 * kMib * i, 2 * i, kStart);
        small.observe(2 * i, 2 * kMib * i, 3 * i, kStart);
    }
    EXPECT_TRUE(large.mostly());
    EXPECT_TRUE(large.only());
    EXPECT_TRUE(small.mostly());
    EXPECT_FALSE(small.only());
}

TEST(CopyShare, WhoCopiesInPiecesDoesNothingElseEither) {
    constexpr uint64_t kPiece = uint64_t{5} << 20;
    CopyShare share;
    for (uint64_t i = 1; i < 1000; ++i)
        share.observe(i, kPiece * i, i, kStart + static_cast<int64_t>(i) * kSecond / 99);
    EXPECT_TRUE(share.only());
}

// A client may say anything.
TEST(CopyShare, BytesThatCannotBeAreTooMany) {
    CopyShare share;
    share.observe(20, UINT64_MAX, 20, kStart);
    EXPECT_TRUE(share.only());
    share.observe(40, 0, 40, kStart);
    for (uint64_t i = 2; i < 100; ++i) share.observe(20 * i, 0, 200 * i, kStart);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, AFewCommandsSayNothing) {
    CopyShare share;
    share.observe(15, 0, 15, kStart);
    EXPECT_FALSE(share.mostly());
    share.observe(16, 0, 16, kStart);
    EXPECT_TRUE(share.mostly());
}

// Commands in flight do not change what a unit counts as: while it is kept off, earlier commands complete and none is
// launched, so the two counts differ.
TEST(CopyShare, WhatIsInFlightDoesNotChangeIt) {
    CopyShare share;
    for (uint64_t i = 1; i < 50; ++i) {
        share.observe(40 * i, 0, 40 * (i - 1), kStart);
        share.observe(40 * i, 0, 40 * i, kStart);
        EXPECT_TRUE(i == 1 || share.mostly()) << i;
    }
}

TEST(CopyShare, WhatItDidBeforeIsOver) {
    CopyShare share;
    share.observe(1000, 0, 1000, kStart);
    ASSERT_TRUE(share.mostly());
    for (uint64_t i = 1; i < 30; ++i) share.observe(1000, 0, 1000 + 100 * i, kStart);
    EXPECT_FALSE(share.mostly());
}

// A program copies the 200 parameters of a model, runs three requests of 200 kernels, and then launches a few graphs
// in each second: it must stop counting as one that mainly copies.
TEST(CopyShare, WhoHasLoadedItsParametersCopiesNoMore) {
    CopyShare share;
    share.observe(200, 0, 800, kStart);
    ASSERT_TRUE(share.mostly());
    for (uint64_t i = 1; i <= 5; ++i) share.observe(200, 0, 800 + 6 * i, kStart + static_cast<int64_t>(i) * kSecond);
    EXPECT_FALSE(share.mostly());
}

TEST(CopyShare, WhoDoesNothingForLongStaysWhatItWas) {
    CopyShare share;
    share.observe(200, 0, 400, kStart);
    for (int i = 1; i <= 100; ++i) share.observe(200, 0, 400, kStart + i * kSecond);
    EXPECT_TRUE(share.mostly());
}

TEST(CopyShare, OtherQueuesAreAnotherBegin) {
    CopyShare share;
    share.observe(1000, 0, 1000, kStart);
    share.observe(0, 0, 100, kStart);
    EXPECT_FALSE(share.mostly());
}

}  // namespace
}  // namespace xsched::sched
