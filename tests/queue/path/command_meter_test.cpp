#include "queue/path/command_meter.h"

#include <gtest/gtest.h>

namespace {

using xsched::queue::CommandKind;
using xsched::queue::CommandMeter;

// Commands are in flight from 0 on.
class Metered : public testing::Test {
protected:
    Metered() { meter.flight_began(0); }
    CommandMeter meter;
};

TEST_F(Metered, MeasuresFromTheEarlierCompletionOrTheStartOfFlight) {
    meter.flight_began(1000);
    meter.completed(1, 6000);
    EXPECT_EQ(meter.command_ns(), 5000);
    meter.completed(1, 11000);
    EXPECT_EQ(meter.command_ns(), 5000);
    meter.flight_began(1'000'000);  // an idle gap is not a command
    meter.completed(1, 1'005'000);
    EXPECT_EQ(meter.command_ns(), 5000);
    EXPECT_EQ(meter.busy_ns(), 15000);
}

TEST_F(Metered, OneReportMayStandForSeveral) {
    meter.completed(10, 100'000);
    EXPECT_EQ(meter.command_ns(), 10'000);
}

TEST_F(Metered, AStallBarelyMovesIt) {
    for (int64_t t = 1000; t <= 10'000; t += 1000) meter.completed(1, t);
    meter.completed(1, 10'000 + 16'000);
    EXPECT_LT(meter.command_ns(), 2000);
}

TEST_F(Metered, ACompilationAtTheStartIsSoonForgotten) {
    meter.completed(1, 1'000'000'000);
    int64_t now = 1'000'000'000;
    for (int i = 0; i < 16; ++i) meter.completed(1, now += 100'000);
    EXPECT_LT(meter.command_ns(), 500'000);
}

TEST_F(Metered, AnInterruptedCommandIsAsLongAsItRan) {
    meter.stopped(4000, 0);
    meter.started(50'000, 0);
    meter.stopped(53'000, 0);
    meter.started(90'000, 0);
    meter.completed(1, 93'000);
    EXPECT_EQ(meter.command_ns(), 10'000);
    EXPECT_EQ(meter.busy_ns(), 10'000);
    meter.completed(1, 103'000);
    EXPECT_EQ(meter.command_ns(), 10'000) << "the next one had not run before";
    meter.stopped(105'000, 0);
    meter.started(200'000, 0);
    meter.flight_began(200'000);
    meter.completed(1, 210'000);
    EXPECT_EQ(meter.command_ns(), 10'000) << "what had run is gone";
}

TEST_F(Metered, WhatRunsOnWhenAGateClosesIsItsOwnTimeToo) {
    meter.stopped(10'000, 5000);
    meter.completed(1, 12'000);
    EXPECT_EQ(meter.busy_ns(), 12'000) << "so far";
    meter.completed(1, 40'000);
    EXPECT_EQ(meter.busy_ns(), 15'000) << "and no longer";
    meter.started(50'000, 0);
    meter.completed(1, 60'000);
    EXPECT_EQ(meter.busy_ns(), 25'000);
    meter.stopped(61'000, 5000);
    meter.started(64'000, 0);
    meter.completed(1, 66'000);
    EXPECT_EQ(meter.busy_ns(), 31'000) << "it had not been suspended before that was over";
}

TEST_F(Metered, TheHardwaresSwitchIsNotItsTime) {
    meter.stopped(0, 0);
    meter.started(100'000, 20'000);
    meter.completed(1, 150'000);
    EXPECT_EQ(meter.busy_ns(), 30'000);
    meter.completed(1, 180'000);
    EXPECT_EQ(meter.busy_ns(), 60'000) << "once";
    meter.stopped(180'000, 0);
    meter.started(200'000, 20'000);
    meter.completed(1, 210'000);
    EXPECT_EQ(meter.busy_ns(), 65'000) << "half, of what completes sooner than that";
}

// Kernels of 500 us in turns of 5 ms, as on a device: 450 us go by before the first of a turn begins.
TEST_F(Metered, WhatATurnWaitsForIsNotItsTimeWhereTheCommandsLengthIsKnown) {
    int64_t now = 0;
    for (int i = 0; i < 8; ++i) meter.completed(1, now += 500'000);
    EXPECT_EQ(meter.busy_ns(), 4'000'000);
    for (int turn = 0; turn < 10; ++turn) {
        meter.stopped(now, 0);
        meter.started(now += 5'000'000, 175'000);
        meter.completed(2, now += 450'000 + 1'000'000);
        for (int i = 0; i < 7; ++i) meter.completed(1, now += 500'000);
    }
    EXPECT_NEAR(static_cast<double>(meter.busy_ns()), 49'000'000, 100'000);
    EXPECT_NEAR(static_cast<double>(meter.command_ns()), 500'000, 10'000);
}

TEST_F(Metered, NoMoreThanThreeSwitchesAreForgivenBeyondTheFirst) {
    meter.completed(1, 100'000);
    meter.stopped(100'000, 0);
    meter.started(200'000, 20'000);
    meter.completed(1, 1'200'000);  // ten times as long as usual
    EXPECT_EQ(meter.busy_ns(), 100'000 + 1'000'000 - 80'000);
}

TEST_F(Metered, TurnsThatEndBeforeAnythingCompletesAddUp) {
    meter.completed(1, 1'000'000);
    int64_t now = 1'000'000;
    for (int turn = 0; turn < 3; ++turn) {
        meter.stopped(now, 0);
        meter.started(now, 100'000);
        now += 600'000;
    }
    meter.completed(1, now);
    EXPECT_EQ(meter.busy_ns(), 2'000'000) << "1.8 ms less three switches, of which 0.75 are in doubt";
}

TEST(CommandMeter, WhatNeverBeganTookNoTime) {
    CommandMeter meter;
    meter.stopped(1'000'000'000, 1000);
    meter.started(2'000'000'000, 0);
    meter.completed(1, 2'000'005'000);
    EXPECT_LE(meter.busy_ns(), 6000);
}

TEST_F(Metered, CompletionsSeenLateByNowMoreNowLessAverageOut) {
    int64_t now = 0;
    for (int i = 1; i <= 200; ++i) meter.completed(1, now = i * 100'000 + (i % 2 == 0 ? 90'000 : 0));
    EXPECT_NEAR(static_cast<double>(meter.command_ns()), 100'000, 10'000);
}

TEST(WorkShare, OneAtATimeItIsHalfAsWell) {
    xsched::queue::WorkShare share;
    for (int i = 0; i < 100; ++i) share.note(i % 2 == 0 ? CommandKind::kMarker : CommandKind::kWork);
    uint32_t work = 0;
    for (int i = 0; i < 100; ++i) work += share.of(1);
    EXPECT_EQ(work, 50u);
    CommandMeter meter;  // a kernel of 100 us, and the event behind it
    meter.flight_began(0);
    for (int i = 0; i < 100; ++i) meter.completed(share.of(1), (i / 2 + 1) * 100'000);
    EXPECT_NEAR(static_cast<double>(meter.command_ns()), 100'000, 10'000);
}

TEST(WorkShare, WithoutMarkersACommandIsAPieceOfWork) {
    xsched::queue::WorkShare share;
    EXPECT_EQ(share.of(7), 7u);
    share.note(CommandKind::kWork);
    EXPECT_EQ(share.of(7), 7u);
    EXPECT_EQ(share.mean(1000), 1000);
}

TEST(WorkShare, HalfOfThem) {
    xsched::queue::WorkShare share;
    for (int i = 0; i < 1000; ++i) share.note(i % 2 == 0 ? CommandKind::kMarker : CommandKind::kWork);
    EXPECT_EQ(share.of(10), 5u);
    EXPECT_NEAR(static_cast<double>(share.mean(1000)), 500, 5);
    for (uint32_t i = 0; i < 12 * xsched::queue::WorkShare::kRemembered; ++i) share.note(CommandKind::kWork);
    EXPECT_EQ(share.of(10), 10u) << "what was long ago is forgotten";
}

TEST(WorkShare, NothingButMarkers) {
    xsched::queue::WorkShare share;
    for (uint32_t i = 0; i < 3 * xsched::queue::WorkShare::kRemembered; ++i) share.note(CommandKind::kMarker);
    EXPECT_EQ(share.of(10), 0u);
    EXPECT_EQ(share.mean(1000), 0);
}

}  // namespace
