#include "sched/pattern/departure.h"

#include <gtest/gtest.h>

#include "sched/given_units.h"

namespace xsched::sched {
namespace {

using namespace testing;

TEST(Departure, KeepsTheDeviceForAsLongAsACallUsuallyTakes) {
    Departure departure;
    EXPECT_FALSE(departure.under_way());
    departure.begin(kGpu, kStart);
    EXPECT_TRUE(departure.under_way());
    EXPECT_EQ(departure.keep_until_ns(false, kStart), kStart + kGpu.off_ns());
    EXPECT_TRUE(departure.under_way());
}

TEST(Departure, EndsWithTheCallOnceTheDeviceHasObeyed) {
    Departure departure;
    departure.begin(kGpu, kStart);
    EXPECT_EQ(departure.keep_until_ns(true, kStart + kMs), kStart + kMs + kGpu.effect_ns());
    EXPECT_FALSE(departure.under_way());
}

// A victim that a short timeslice has taken off already cannot come back once it is kept off.
TEST(Departure, EndsSoonBehindACallThatOnlyKeepsOff) {
    Departure departure;
    departure.begin(kGpu, kStart, true);
    EXPECT_EQ(departure.keep_until_ns(false, kStart), kStart + kGpu.off_ns());
    EXPECT_EQ(departure.keep_until_ns(true, kStart + kMs), kStart + kMs + kLookNs);
}

TEST(Departure, OneWhoseAgentDoesNotAnswerIsGivenUp) {
    Departure departure;
    departure.begin(kGpu, kStart);
    departure.keep_until_ns(false, kStart + kGpu.most_off_ns() - 1);
    EXPECT_TRUE(departure.under_way());
    departure.keep_until_ns(false, kStart + kGpu.most_off_ns());
    EXPECT_FALSE(departure.under_way());
}

}  // namespace
}  // namespace xsched::sched
