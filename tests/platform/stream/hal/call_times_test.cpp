#include "platform/stream/hal/call_times.h"

#include <gtest/gtest.h>

namespace xsched::stream {
namespace {

TEST(CallTimes, BothTogetherOnceEnoughWereMade) {
    CallTimes times;
    for (uint32_t i = 0; i < CallTimes::kEnough; ++i) {
        EXPECT_EQ(times.both_us(), 0U);
        times.add_off(300'000);
    }
    EXPECT_EQ(times.both_us(), 0U) << "nothing was put back yet";
    for (uint32_t i = 0; i < CallTimes::kEnough; ++i) times.add_on(200'000);
    EXPECT_EQ(times.both_us(), 500U);
}

TEST(CallTimes, OneSlowCallDoesNotDecideAndAnotherMachineDoes) {
    CallTimes times;
    for (int i = 0; i < 32; ++i) {
        times.add_off(300'000);
        times.add_on(200'000);
    }
    times.add_off(8'300'000);
    EXPECT_EQ(times.both_us(), 500U);
    for (int i = 0; i < 100; ++i) times.add_off(100'000);
    EXPECT_EQ(times.both_us(), 300U);
}

}  // namespace
}  // namespace xsched::stream
