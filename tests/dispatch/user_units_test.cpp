// How many units the clients of one user may make on a device, and what further queues count as.
#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "dispatch/limited_clients.h"
#include "dispatch/user_share.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

using UserUnits = LimitedClients;

TEST_F(UserUnits, FurtherUnitsCountAsOthersOfTheirClient) {
    limits->units = 3;
    constexpr int32_t kPriorities[] = {10, 20, 30, 25, 5};
    for (uint32_t at = 0; at < std::size(kPriorities); ++at) one.make_queue(at, kPriorities[at]);
    two.make_queue(0, 40);
    other.make_queue(0, 22);
    dispatcher.add_client(view(one));
    dispatcher.add_client(other.view());  // another user's
    one.submit(3, kStart);
    other.submit(0, kStart);
    dispatcher.pass(kStart);
    EXPECT_TRUE(one.suspended(3)) << "25 counts as 20";
    EXPECT_FALSE(other.suspended(0));
    one.complete(3, kStart);
    other.complete(0, kStart);
    other.slot(0).priority = 7;
    one.submit(4, kStart);
    other.submit(0, kStart);
    dispatcher.pass(kStart + kMs);
    EXPECT_FALSE(one.suspended(4)) << "5 counts as 10: none is lower";
    EXPECT_TRUE(other.suspended(0));
    two.submit(0, kStart);
    dispatcher.add_client(view(two));
    dispatcher.pass(kStart + 2 * kMs);
    EXPECT_FALSE(two.suspended(0)) << "each client has a unit of its own";
    EXPECT_TRUE(one.suspended(4));
}

TEST_F(UserUnits, QueuesGetTheirOwnUnitOnceThereIsRoom) {
    limits->units = 1;
    one.make_queue(0, 10);
    one.make_queue(1, 30);
    one.make_queue(2, PRIORITY_NO_EXECUTE);
    other.make_queue(0, 20);
    for (const uint32_t at : {1U, 2U}) one.submit(at, kStart);
    other.submit(0, kStart);
    dispatcher.add_client(view(one));
    dispatcher.add_client(other.view());
    dispatcher.pass(kStart);
    EXPECT_TRUE(one.suspended(1));
    EXPECT_TRUE(one.suspended(2)) << "is never run, also where it has no room for a unit of its own";
    limits->units = 3;
    dispatcher.pass(kStart + 100 * kMs);
    dispatcher.pass(kStart + 101 * kMs);
    EXPECT_FALSE(one.suspended(1));
    EXPECT_TRUE(one.suspended(2));
    EXPECT_TRUE(other.suspended(0));
}

}  // namespace
}  // namespace xsched::dispatch
