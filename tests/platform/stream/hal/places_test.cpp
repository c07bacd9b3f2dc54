// Where a stream's commands end in its hardware queue, and what the queue's read index says of them.
#include "platform/stream/hal/places.h"

#include <gtest/gtest.h>

namespace {

using xsched::stream::Places;

uint32_t taken(const Places& places, uint64_t read, uint32_t queue = 1) {
    uint32_t value = 0;
    return places.taken(queue, read, &value) ? value : 0;
}

TEST(Places, TheLastOneWhosePacketsAreAllTaken) {
    Places places;
    EXPECT_EQ(taken(places, 100), 0u) << "nothing is known";
    EXPECT_TRUE(places.note(1, 1, 3));
    EXPECT_TRUE(places.note(2, 1, 5));
    EXPECT_EQ(taken(places, 2), 0u);
    EXPECT_EQ(taken(places, 3), 1u);
    EXPECT_EQ(taken(places, 4), 1u);
    EXPECT_EQ(taken(places, 9), 2u);
}

TEST(Places, ACommandWithoutAPacketHasNone) {
    Places places;
    EXPECT_TRUE(places.note(1, 1, 3));
    EXPECT_FALSE(places.note(2, 1, 3)) << "a copy engine does it";
    EXPECT_TRUE(places.note(3, 1, 4)) << "and this one waits for it";
    EXPECT_EQ(taken(places, 3), 1u);
    EXPECT_EQ(taken(places, 4), 3u);
}

TEST(Places, AnotherQueueBeginsAnew) {
    Places places;
    EXPECT_TRUE(places.note(1, 1, 300));
    EXPECT_TRUE(places.note(2, 7, 5));
    EXPECT_EQ(places.queue(), 7u);
    EXPECT_EQ(taken(places, 400, 1), 0u);
    EXPECT_EQ(taken(places, 5, 7), 2u);
    places.forget();
    EXPECT_EQ(taken(places, 5, 7), 0u);
}

TEST(Places, TheLatestAreRemembered) {
    Places places;
    for (uint32_t i = 1; i <= 100; ++i) EXPECT_TRUE(places.note(i, 1, i));
    EXPECT_EQ(taken(places, 100), 100u);
    EXPECT_EQ(taken(places, 80), 80u);
    EXPECT_EQ(taken(places, 20), 0u) << "forgotten";
}

}  // namespace
