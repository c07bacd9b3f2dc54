// Bursts with brief pauses between them are one request.
#include "dispatch/joined_bursts.h"

#include <gtest/gtest.h>

namespace xsched::dispatch {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(JoinedBursts, ABriefPauseBelongsToTheRequest) {
    JoinedBursts joined;
    EXPECT_FALSE(joined.add(10 * kMs, 12 * kMs, 0));
    EXPECT_FALSE(joined.add(12 * kMs + kMs / 2, 15 * kMs, kMs)) << "half a millisecond later";
    const auto first = joined.add(25 * kMs, 26 * kMs, 0);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->length_ns, 5 * kMs);
    EXPECT_EQ(first->held_ns, kMs);
    EXPECT_EQ(first->bursts, 2);
    EXPECT_EQ(first->pauses_ns, kMs / 2);
    EXPECT_EQ(first->rest_ns, 0) << "nothing is known of what was before";
    const auto second = joined.add(30 * kMs, 31 * kMs, 0);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->length_ns, kMs);
    EXPECT_EQ(second->held_ns, 0);
    EXPECT_EQ(second->rest_ns, 10 * kMs);
    EXPECT_EQ(second->bursts, 1);
    EXPECT_EQ(second->pauses_ns, 0);
}

TEST(JoinedBursts, NoTimeIsNegative) {
    JoinedBursts joined;
    EXPECT_FALSE(joined.add(10 * kMs, 8 * kMs, 90 * kMs));
    EXPECT_FALSE(joined.add(5 * kMs, 6 * kMs, 0)) << "a client writes what it likes";
    const auto request = joined.add(20 * kMs, 21 * kMs, 0);
    ASSERT_TRUE(request);
    EXPECT_GE(request->length_ns, request->held_ns);
    EXPECT_GE(request->held_ns, 0);
}

}  // namespace
}  // namespace xsched::dispatch
