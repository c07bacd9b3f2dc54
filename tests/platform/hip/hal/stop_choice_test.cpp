#include "platform/hip/hal/stop_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace xsched::hip {
namespace {

constexpr uint32_t kOne = 1001, kOther = 1002;

// Returns which of four queues are stopped. Queues 0 to 2 are of one GPU, queue 3 is of another.
std::vector<bool> stopped(const std::vector<StoppableStream>& streams) {
    StoppableQueue queues[] = {{kOne}, {kOne}, {kOne}, {kOther}};
    choose_stops(streams.data(), static_cast<unsigned>(streams.size()), queues, 4);
    return {queues[0].stopped, queues[1].stopped, queues[2].stopped, queues[3].stopped};
}
StoppableStream on(unsigned queue, bool asks) {
    return {.asks = asks, .gpu = queue < 3 ? kOne : kOther, .known = true, .uses = {uint64_t{1} << queue}};
}
using Answer = std::vector<bool>;

TEST(StopChoice, AQueueIsStoppedWhenAllAskThatUseIt) {
    EXPECT_EQ(stopped({on(0, true), on(1, false)}), (Answer{true, false, false, false}));
    EXPECT_EQ(stopped({on(0, true), on(0, false)}), (Answer{false, false, false, false}));
}
TEST(StopChoice, WhatNobodyUsesIsStoppedWithItsGpu) {
    EXPECT_EQ(stopped({on(0, true), on(1, true)}), (Answer{true, true, true, false}));
    EXPECT_EQ(stopped({on(0, true), on(3, false)}), (Answer{true, true, true, false}));
}
TEST(StopChoice, WhoIsNotKnownMayUseAnyQueueOfItsGpu) {
    EXPECT_EQ(stopped({on(0, true), {.gpu = kOne}}), (Answer{false, false, false, false}));
    EXPECT_EQ(stopped({on(0, true), {.gpu = kOther}}), (Answer{true, true, true, false}));
    EXPECT_EQ(stopped({on(0, true), {}}), (Answer{false, false, false, false}));
    EXPECT_EQ(stopped({{.asks = true}, {.asks = true}}), (Answer{true, true, true, true}));
}
TEST(StopChoice, WithoutStreamsNothingIsStopped) { EXPECT_EQ(stopped({}), (Answer{false, false, false, false})); }

}  // namespace
}  // namespace xsched::hip
