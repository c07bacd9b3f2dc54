// Equals that take turns, and equals that run beside each other: what gets into the slots.
#include <gtest/gtest.h>

#include <utility>

#include "dispatch/mechanism_in_slots.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

// Members of a gang run beside each other. When a more urgent unit comes, the server takes them off in one call.
TEST_F(MechanismInSlots, EqualsBesideEachOtherAreTakenOffInOneCall) {
    add_other();
    for (FakeClient* client : {&low, &other}) client->slot(0).gang = 7;
    all_submit();
    for (FakeClient* client : {&low, &other})
        EXPECT_EQ(client->slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTogether));
}

// Equals that take turns are taken off the device one by one, each at the end of its own turn.
TEST_F(MechanismInSlots, EqualsThatTakeTurnsAreTakenOffByThemselves) {
    add_other();
    all_submit();
    int64_t now = kStart;
    for (const char* policy : {"CFS", "UP", "AUTO"}) {
        dispatcher.core().set_policy(policy::find_policy(policy)->make());
        int taken_off = 0;
        for (int i = 0; i < 200; ++i) {
            dispatcher.pass(now += 5 * kMs);
            for (FakeClient* client : {&low, &other, &high}) {
                client->slot(0).busy_ns += client->suspended(0) ? 0 : 5 * kMs;
                EXPECT_NE(client->slot(0).interrupt, static_cast<uint32_t>(ipc::Interrupt::kTogether)) << policy;
                taken_off += client->slot(0).interrupt == static_cast<uint32_t>(ipc::Interrupt::kTakenOff) ? 1 : 0;
            }
        }
        EXPECT_GT(taken_off, 0) << policy;
    }
}

// A program that seems idle may block in a call for work that is not reported, so it stays on the device.
TEST_F(MechanismInSlots, WhoSeemsIdleIsNotOffTheDeviceForAnEqualsTurn) {
    add_other();
    all_submit();
    high.complete(0, kStart + kMs);
    const auto is_off = [](FakeClient& client) { return client.suspended(0) && client.slot(0).interrupt != 0; };
    int64_t now = kStart + 20 * kMs;
    while (now < kStart + base::kSecond && !is_off(low)) {
        dispatcher.pass(now += kMs);
        for (FakeClient* client : {&low, &other}) client->slot(0).busy_ns += client->suspended(0) ? 0 : kMs;
    }
    ASSERT_TRUE(is_off(low));
    low.complete(0, now);
    dispatcher.pass(now += 100 * kUs);
    EXPECT_TRUE(low.suspended(0));
    EXPECT_FALSE(is_off(low));
}

// Equals with brief commands are kept off by gates in each other's turns, and not interrupted as late: a turn is no
// burst that lasts too long, and commands completed before the gate may be seen late.
TEST_F(MechanismInSlots, BriefCommandsOfEqualsAreLeftToTheirGatesInTheirTurns) {
    for (FakeClient* client : {&low, &high}) {
        client->slot(0).command_ns = kBriefNs;
        client->slot(0).timeslice_us = 10'000;
        client->slot(0).priority = 0;
    }
    dispatcher.core().set_policy(policy::find_policy("UP")->make());
    int64_t now = kStart;
    low.submit(0, now);
    for (int i = 0; i < 4; ++i) {  // in its first turns it works for a millisecond
        high.submit(0, now);
        do dispatcher.pass(now += kMs);
        while (high.suspended(0));
        ASSERT_TRUE(low.suspended(0));
        high.complete(0, now += kMs);
        dispatcher.pass(now);
        dispatcher.pass(now += 20 * kMs);
    }
    for (int i = 0; i < 1000; ++i) {
        low.submit(0, now);
        high.submit(0, now);
    }
    FakeClient* last = nullptr;
    int turns = 0;
    int64_t turn_ns = 0;
    for (int ms = 0; ms < 500; ++ms) {
        dispatcher.pass(now += kMs);
        if (low.suspended(0) == high.suspended(0)) continue;
        FakeClient& runs = low.suspended(0) ? high : low;
        FakeClient& waits = low.suspended(0) ? low : high;
        EXPECT_EQ(waits.slot(0).interrupt.load(), 0U) << "after " << ms << " ms";
        if (std::exchange(last, &runs) != &runs) {
            ++turns;
            turn_ns = now;
        }
        runs.slot(0).busy_ns += kMs;
        ++runs.slot(0).completed;
        if (now == turn_ns + 3 * kMs) ++waits.slot(0).completed;
    }
    EXPECT_GT(turns, 20);
}

}  // namespace
}  // namespace xsched::dispatch
