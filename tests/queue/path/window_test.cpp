#include "queue/path/window.h"

#include <gtest/gtest.h>

namespace {

using xsched::queue::Window;

TEST(Window, AloneItIsSixteenByEight) {
    Window window;
    EXPECT_EQ(window.limit(0, 0), 16u);
    EXPECT_EQ(window.limit(0, 5'000'000), 16u);
    EXPECT_EQ(window.batch(16), 8u);
}

TEST(Window, UnderCompetitionItIsATimeOrOneCommand) {
    Window window;
    EXPECT_EQ(window.limit(1'000'000, 5'000'000), 1u) << "a long command is the whole window";
    EXPECT_EQ(window.limit(1'000'000, 100'000), 10u);
    EXPECT_EQ(window.limit(1'000'000, 1), 1024u) << "no more than the vendors' queues hold";
    EXPECT_EQ(window.limit(1'000'000, 0), 4u) << "unknown length: a few";
}

TEST(Window, ExplicitThresholdWins) {
    Window window;
    window.configure(3, 0);
    EXPECT_EQ(window.limit(1'000'000, 5'000'000), 3u);
    EXPECT_EQ(window.batch(3), 1u);
}

TEST(Window, BatchFollowsThreshold) {
    Window window;
    window.configure(2, 8);
    EXPECT_EQ(window.batch_size(), 2u);
    EXPECT_EQ(window.batch(window.limit(0, 0)), 2u);
}

}  // namespace
