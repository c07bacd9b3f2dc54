#include "ipc/client_clock.h"

#include <gtest/gtest.h>

#include <memory>

#include "ipc/slot_hints.h"

namespace xsched::ipc {
namespace {

TEST(ClientClock, OneClockIsNotConverted) {
    EXPECT_EQ(clock_ahead_ns(150, 100, 200), 0);
    EXPECT_EQ(clock_ahead_ns(100, 100, 200), 0);
    EXPECT_EQ(clock_ahead_ns(200, 100, 200), 0);
}

TEST(ClientClock, AnotherOneIsKnownToHalfOfTheHandshake) {
    constexpr int64_t kAhead = 100'000;
    for (const int64_t made : {5000, 5050, 5100})
        for (const int64_t ahead : {kAhead, -kAhead})
            EXPECT_NEAR(static_cast<double>(clock_ahead_ns(made, 5000 + ahead, 5100 + ahead)),
                        static_cast<double>(ahead), 50);
}

TEST(ClientClock, TimesGoThereAndBackAndNoTimeStaysNone) {
    const auto header = std::make_unique<Header>();
    header->client_ahead_ns = 1000;
    EXPECT_EQ(server_time(*header, 5000), 4000);
    EXPECT_EQ(own_time(*header, 4000), 5000);
    EXPECT_EQ(server_time(*header, 0), 0);
    EXPECT_EQ(own_time(*header, 0), 0);
}

TEST(ClientClock, OfHintsTimesAloneAreConverted) {
    const auto header = std::make_unique<Header>();
    header->client_ahead_ns = 1000;
    base::Hints hints;
    hints.expect_ns = 5000;
    hints.deadline_us = 5000;
    const base::Hints there = by_server_time(*header, hints);
    EXPECT_EQ(there.expect_ns, 4000);
    EXPECT_EQ(there.deadline_us, 5000);
    EXPECT_EQ(by_own_time(*header, there), hints);
}

TEST(ClientClock, WhatAPersonSaidIsCarriedFromServerToServer) {
    const auto from = std::make_unique<Header>();
    const auto to = std::make_unique<Header>();
    from->client_ahead_ns = 1000;
    to->client_ahead_ns = -500;
    store_default(*from, base::HintId::expect_ns, 4000);
    carry_defaults(*from, *to);
    base::Hints hints;
    take_defaults(*to, hints, 0);
    EXPECT_EQ(hints.expect_ns, 5500) << "5000 by the client's clock";
}

TEST(ClientClock, ARuleOfTheLaterServerGivesWayToWhatAPersonSaid) {
    const auto from = std::make_unique<Header>();
    const auto to = std::make_unique<Header>();
    store_default(*from, base::HintId::priority, 7);
    store_rule(*from, base::HintId::share, 30);
    store_rule(*to, base::HintId::priority, -3);
    carry_defaults(*from, *to);
    base::Hints hints;
    take_defaults(*to, hints, bit_of(base::HintId::priority));
    EXPECT_EQ(hints.priority, 7);
    EXPECT_EQ(hints.share, 0) << "the later server has rules of its own";
}

}  // namespace
}  // namespace xsched::ipc
