#include "queue/path/stand_places.h"

#include <gtest/gtest.h>

namespace {

using xsched::ipc::kMostStands;
using xsched::ipc::stand_mark;
using xsched::queue::StandPlaces;

TEST(StandPlaces, AQueueStandsOnceAllBeforeTheWaitIsComplete) {
    StandPlaces places;
    ASSERT_TRUE(places.has_room(0));
    places.begins(3);
    EXPECT_FALSE(places.stands(2));
    EXPECT_TRUE(places.stands(3));
    EXPECT_FALSE(places.stands(4));
    EXPECT_EQ(places.mark(0), stand_mark(3));
    EXPECT_EQ(places.mark(1), 0u);
}

TEST(StandPlaces, TheSlotHasRoomForAFew) {
    StandPlaces places;
    for (int i = 0; i < kMostStands; ++i) {
        ASSERT_TRUE(places.has_room(0)) << i;
        places.begins(static_cast<uint64_t>(i));
    }
    EXPECT_FALSE(places.has_room(0));
    EXPECT_TRUE(places.has_room(2)) << "two are over";
    EXPECT_EQ(places.mark(0), stand_mark(2));
    EXPECT_EQ(places.mark(kMostStands - 2), 0u);
}

TEST(StandPlaces, AWaitOnItsWayMayBeRevoked) {
    StandPlaces places;
    places.begins(1);
    EXPECT_TRUE(places.is_on_its_way());
    EXPECT_FALSE(places.lacks_report());
    EXPECT_TRUE(places.revoke());
    EXPECT_FALSE(places.any());
    EXPECT_FALSE(places.call_returned(2)) << "it is a command as any other";
    EXPECT_FALSE(places.revoke());
}

TEST(StandPlaces, ItIsOpenUntilTheReportBehindIt) {
    StandPlaces places;
    places.begins(1);
    EXPECT_TRUE(places.call_returned(2));
    EXPECT_TRUE(places.lacks_report());
    EXPECT_EQ(places.open(), 2u);
    places.reported();
    EXPECT_EQ(places.open(), 0u);
    EXPECT_TRUE(places.stands(1)) << "as far as the device has come";
}

TEST(StandPlaces, TellsWhetherAWaitEndedInBetween) {
    StandPlaces places;
    places.begins(5);
    EXPECT_FALSE(places.ended(3, 5));
    EXPECT_TRUE(places.ended(3, 6));
    EXPECT_TRUE(places.ended(5, 6));
    EXPECT_FALSE(places.ended(6, 9));
}

}  // namespace
