// Keep-alives beside the program's queues: before a burst, through all of it, and to its end.
#include "queue/keep_alives.h"

namespace xsched {
namespace {

using fake::FakeDevice;

// Before a burst that is foreseen.
class DeviceHold : public test::KeepAlives {
protected:
    void SetUp() override {
        KeepAlives::SetUp();
        xq_about_to(nullptr, kXqWait);  // the last test's, which is in force for 0.45 ms and prevents another
        xq_sync_end(device.abi_queue(), xq_sync_begin(device.abi_queue()));
        others_are_kept_off(false);
    }
    static void ask(FakeDevice& of, uint32_t us) {
        of.slot().warm_us = us;
        ++of.slot().warm;
        queue::g_hold.warm_if_asked(of.queue().keep_alive());
    }
    uint32_t word() const { return *device.keep_alive_word; }
};

TEST_F(DeviceHold, SoLongAndTheFirstLaunchIsTold) {
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_EQ(device.held_before[0].ns, 300 * base::kMicrosecond);
    EXPECT_EQ(device.warmed, 0);
    const uint32_t number = device.held_before[0].number;
    EXPECT_LT(word(), number);
    device.enqueue(1);
    EXPECT_EQ(word(), number) << "it ends by itself, some time behind that";
    device.enqueue(2);
    device.enqueue(3);
    EXPECT_EQ(word(), number) << "the device would turn to others while there is little behind it";
    EXPECT_TRUE(device.keep_alives.empty());
}

TEST_F(DeviceHold, AnotherQueuesLaunchCountsAsWell) {
    FakeDevice other{test::kInterruptible};
    ask(device, 300);
    other.enqueue(1);
    EXPECT_EQ(word(), device.held_before[0].number);
}

TEST_F(DeviceHold, OneAtATime) {
    ask(device, 3'600'000'000);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 1u);
    xq_about_to(nullptr, kXqWait);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "that one is over";
}

// The keep-alive kernel that holds the device before a burst runs beside the program's stream, so a query of the
// stream or a wait for it need not end the hold.
TEST_F(DeviceHold, WhoAsksOrWaitsForTheStreamLeavesIt) {
    ask(device, 300);
    device.enqueue(1);
    xq_about_to(device.abi_queue(), kXqQuery);
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWait));
    EXPECT_EQ(word(), device.held_before[0].number);
}

TEST_F(DeviceHold, WhoWaitsForTheContextEndsIt) {
    ask(device, 300);
    xq_about_to(nullptr, kXqWait);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    device.enqueue(1);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(DeviceHold, NotBeforeBurstsOfAProgramThatFreesMemory) {
    ask(device, 300);
    xq_about_to(nullptr, kXqFree);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    for (uint32_t i = 0; i < queue::DeviceHold::kBurstsAfterFree; ++i) ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 1u);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "it has not freed any for long";
    xq_about_to(nullptr, kXqWait);
}

TEST_F(DeviceHold, AlsoBehindTheFirstLaunch) {
    ask(device, 300);
    device.enqueue(1);
    xq_about_to(nullptr, kXqWait);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(DeviceHold, AWaitThatKeepsTheDeviceBeginsAnotherBesideIt) {
    ask(device, 300);
    device.enqueue(1);
    others_are_kept_off(true);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWaitForEvent));
    xq_about_to(nullptr, kXqWait);
    EXPECT_LT(word(), device.keep_alives.back().number) << "the two have one word";
    device.enqueue(2);
    EXPECT_EQ(word(), device.keep_alives.back().number);
}

// Nothing has been launched since.
TEST_F(DeviceHold, AlsoBehindTheKeepAliveOfTheLastWait) {
    device.enqueue(1);
    others_are_kept_off(true);
    const uint64_t mark = xq_sync_begin(device.abi_queue());
    ASSERT_TRUE(xq_about_to(device.abi_queue(), kXqWait));
    while (device.step()) {
    }
    xq_sync_end(device.abi_queue(), mark);
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_GT(word(), device.keep_alives.back().number);
    EXPECT_LT(word(), device.held_before[0].number);
}

TEST_F(DeviceHold, NotOnceTheBurstIsThere) {
    device.enqueue(1);
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
    EXPECT_EQ(device.warmed, 0);
}

TEST_F(DeviceHold, NotWhereNoneIsPrepared) {
    header().keeps_alive = 0;
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
}

TEST_F(DeviceHold, WhatTheBackendRefusesHoldsNothing) {
    device.refuse_keep_alive = true;
    ask(device, 300);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
    EXPECT_FALSE(device.queue().keep_alive().running());
}

// Through the whole of a burst.
class KeepAliveThrough : public DeviceHold {
protected:
    void SetUp() override {
        DeviceHold::SetUp();
        device.slot().warm_behind_us = 900;
        ask(device, kWaits / base::kMicrosecond);
        ASSERT_EQ(device.held_before.size(), 1u);
    }
    void TearDown() override {
        xq_about_to(nullptr, kXqWait);
        device.slot().warm_behind_us = 0;
    }
    uint32_t number() const { return device.held_before[0].number; }
    static constexpr int64_t kWaits = 3'600 * base::kSecond;
};

TEST_F(KeepAliveThrough, ItEndsSoLongBehindTheFirstLaunch) {
    EXPECT_EQ(device.held_before[0].ns, kWaits);
    EXPECT_EQ(device.held_before[0].behind_ns, 900 * base::kMicrosecond);
    const int64_t until_ns = device.slot().holds_until_ns.load();
    EXPECT_GT(until_ns, base::now_ns());
    EXPECT_LE(until_ns, base::now_ns() + kWaits) << "no launch may come";
    const int64_t before_ns = base::now_ns();
    device.enqueue(1);
    EXPECT_EQ(word(), number());
    EXPECT_GE(device.slot().holds_until_ns.load(), before_ns + 900 * base::kMicrosecond);
    EXPECT_LE(device.slot().holds_until_ns.load(), base::now_ns() + 900 * base::kMicrosecond);
}

// The launch comes after the hold has ended, so the slot must not say that the device is held through the burst: the
// scheduler would rely on that.
TEST_F(KeepAliveThrough, ALaunchThatComesTooLateIsNotHeldThrough) {
    xq_about_to(nullptr, kXqWait);
    ask(device, 1);
    const int64_t until_ns = device.slot().holds_until_ns.load();
    while (base::now_ns() <= until_ns) {
    }
    device.enqueue(1);
    EXPECT_EQ(device.slot().holds_until_ns.load(), until_ns);
}

// While the device is held, a wait gets no keep-alive of its own: both would use the same word in memory.
TEST_F(KeepAliveThrough, NoWaitNeedsAnotherOne) {
    device.slot().holds_until_ns = 0;
    xq_about_to(nullptr, kXqWait);
    device.slot().warm_behind_us = 3'600'000'000U;
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 2u);
    device.enqueue(1);
    others_are_kept_off(true);
    const uint32_t waited = header().keep_alive_synchronizes.load();
    EXPECT_FALSE(xq_about_to(device.abi_queue(), kXqWaitForEvent));
    EXPECT_TRUE(device.keep_alives.empty());
    EXPECT_EQ(word(), device.held_before[1].number) << "and no wait ends it";
    EXPECT_EQ(header().keep_alive_synchronizes.load(), waited + 1) << "the scheduler knows that its pauses begin so";
    xq_about_to(nullptr, kXqWait);
    EXPECT_TRUE(xq_about_to(device.abi_queue(), kXqWaitForEvent)) << "now one does";
}

// A thread that waits for the whole context ends the hold and tells the scheduler, which would otherwise rely on the
// hold to keep victims off.
TEST_F(KeepAliveThrough, WhoWaitsForTheContextTellsTheScheduler) {
    const uint32_t rang = header().doorbell.load();
    xq_about_to(nullptr, kXqWait);
    EXPECT_EQ(word(), number() + 1);
    EXPECT_EQ(device.slot().holds_until_ns.load(), 0);
    EXPECT_NE(header().doorbell.load(), rang);
}

// Bursts that wait twice, each held through.
class KeepAliveToTheLastWait : public DeviceHold {
protected:
    void SetUp() override {
        DeviceHold::SetUp();
        device.slot().warm_behind_us = 3'600'000'000U;
        for (uint32_t i = 0; i < queue::BurstWaits::kNotFor; ++i) burst(3 + i % 2);  // what the last test left
        for (uint32_t i = 0; i < queue::BurstWaits::kEnough; ++i) {
            burst(2);
            EXPECT_EQ(word(), number()) << "nobody knows yet how many there are";
        }
        begin();
        launch();
    }
    void burst(uint32_t waits) {
        begin();
        for (uint32_t i = 0; i < waits; ++i) {
            launch();
            wait();
        }
    }
    void TearDown() override {
        burst(3);
        begin();  // leaves the number unknown for other tests
        xq_about_to(nullptr, kXqWait);
        device.slot().warm_behind_us = 0;
        device.slot().holds_until_ns = 0;
    }
    void begin() {
        xq_about_to(nullptr, kXqWait);
        complete();
        ask(device, 3'600'000'000U);
    }
    void launch() { device.enqueue(++last_); }
    void wait() { xq_about_to(device.abi_queue(), kXqWaitForEvent); }
    void complete() {
        const uint64_t mark = xq_sync_begin(device.abi_queue());
        while (device.step()) {
        }
        xq_sync_end(device.abi_queue(), mark);
    }
    uint32_t number() const { return device.held_before.back().number; }
    int last_ = 0;
};

TEST_F(KeepAliveToTheLastWait, ItEndsWithThatAndTheSchedulerKeepsRelyingOnIt) {
    wait();
    EXPECT_EQ(word(), number());
    launch();
    const int64_t until_ns = device.slot().holds_until_ns.load();
    const uint32_t rang = header().doorbell.load();
    wait();
    EXPECT_EQ(word(), number() + 1);
    EXPECT_EQ(device.slot().holds_until_ns.load(), until_ns) << "it would take victims off for the rest of the burst";
    EXPECT_EQ(header().doorbell.load(), rang);
    const size_t held = device.held_before.size();
    complete();
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), held + 1) << "the next one is held for";
    launch();
    EXPECT_EQ(word(), number());
}

// The hold may last half as long again as a usual burst: taking the victims off by a call does not pay for the rest
// of a burst that is a little longer than usual.
TEST_F(KeepAliveToTheLastWait, SoThatItMayStandHalfAsLongAgain) {
    const int64_t usual_ns = device.slot().warm_behind_us * base::kMicrosecond;
    EXPECT_EQ(device.held_before.back().behind_ns, usual_ns + usual_ns / 2);
    EXPECT_EQ(device.held_before[queue::BurstWaits::kNotFor].behind_ns, usual_ns) << "while it was not known";
    EXPECT_GT(device.slot().holds_until_ns, base::now_ns() + usual_ns);
}

TEST_F(KeepAliveToTheLastWait, NotForLongOnceABurstWentOn) {
    wait();
    launch();
    wait();
    EXPECT_EQ(word(), number() + 1);
    launch();
    begin();
    launch();
    wait();
    wait();
    EXPECT_EQ(word(), number());
}

// A hold to the end of the burst under way: the program's launches do not end it, but its next wait does.
class KeepAliveToTheEnd : public DeviceHold {
protected:
    void SetUp() override {
        DeviceHold::SetUp();
        device.enqueue(1);
        device.slot().warm_to_end = 1;
        for (int i = 0; i < 2; ++i) {  // no wait ends them: what earlier tests did is forgotten
            ask(device, 1);
            xq_about_to(nullptr, kXqWait);
        }
        device.held_before.clear();
    }
    void TearDown() override {
        xq_about_to(nullptr, kXqWait);
        device.slot().warm_to_end = 0;
        device.slot().holds_until_ns = 0;
    }
};

TEST_F(KeepAliveToTheEnd, TheSchedulerIsToldHowLong) {
    const uint32_t rang = header().doorbell.load();
    const int64_t before_ns = base::now_ns();
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    EXPECT_EQ(device.held_before[0].ns, 300 * base::kMicrosecond);
    EXPECT_GE(device.slot().holds_until_ns.load(), before_ns + 300 * base::kMicrosecond);
    EXPECT_LE(device.slot().holds_until_ns.load(), base::now_ns() + 300 * base::kMicrosecond);
    EXPECT_NE(header().doorbell.load(), rang);
}

TEST_F(KeepAliveToTheEnd, TheNextWaitEndsItAndNoLaunch) {
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    const uint32_t number = device.held_before[0].number;
    device.enqueue(2);
    device.enqueue(3);
    EXPECT_LT(word(), number);
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    EXPECT_EQ(word(), number + 1);
    ask(device, 300);
    EXPECT_EQ(device.held_before.size(), 2u) << "it is over";
}

// A launch behind the last wait ends the hold early. A scheduler that did not hear of that would rely on the hold
// instead of interrupting victims, in this burst or the next.
TEST_F(KeepAliveToTheEnd, ALaunchBehindTheWaitTellsTheScheduler) {
    ask(device, 3'600'000'000U);
    const int64_t until_ns = device.slot().holds_until_ns.load();
    const uint32_t rang = header().doorbell.load();
    xq_about_to(device.abi_queue(), kXqWaitForEvent);
    EXPECT_EQ(device.slot().holds_until_ns.load(), until_ns) << "it would take victims off for the rest of the burst";
    device.enqueue(2);
    EXPECT_EQ(device.slot().holds_until_ns.load(), 0);
    EXPECT_NE(header().doorbell.load(), rang);
    device.slot().holds_until_ns = until_ns;
    device.enqueue(3);
    EXPECT_EQ(device.slot().holds_until_ns.load(), until_ns) << "once";
}

// If waits have ended the last holds, a hold may last longer than bursts usually do. Otherwise a slow moment of the
// machine would lose the device just before the burst's end.
TEST_F(KeepAliveToTheEnd, ForLongerWhereWaitsHaveEndedTheLastOnes) {
    constexpr int64_t kAskedNs = 300 * base::kMicrosecond;
    const auto lasts_ns = [&](bool waits) {
        ask(device, 300);
        if (waits) xq_about_to(device.abi_queue(), kXqWaitForEvent);
        return device.held_before.back().ns;
    };
    for (uint32_t i = 0; i < queue::EndWaits::kEnough; ++i) EXPECT_EQ(lasts_ns(true), kAskedNs);
    const int64_t longer_ns = lasts_ns(true);
    EXPECT_GT(longer_ns, kAskedNs + base::kMillisecond);
    ask(device, 300);
    EXPECT_GT(device.slot().holds_until_ns, base::now_ns() + base::kMillisecond) << "nobody need be taken off";
    std::this_thread::sleep_for(std::chrono::nanoseconds(longer_ns + base::kMillisecond));  // until it is over
    EXPECT_EQ(lasts_ns(false), kAskedNs) << "no wait ended the last one";
}

TEST_F(KeepAliveToTheEnd, AnotherQueuesWaitEndsItAsWell) {
    FakeDevice other{test::kInterruptible};
    ask(device, 300);
    ASSERT_EQ(device.held_before.size(), 1u);
    xq_about_to(other.abi_queue(), kXqWaitForEvent);
    EXPECT_EQ(word(), device.held_before[0].number + 1);
}

TEST_F(KeepAliveToTheEnd, NotShortlyAfterMemoryWasFreed) {
    xq_about_to(nullptr, kXqFree);
    ask(device, 300);
    EXPECT_TRUE(device.held_before.empty());
    device.slot().warm_to_end = 0;
    xq_sync_end(device.abi_queue(), xq_sync_begin(device.abi_queue()));
    for (uint32_t i = 0; i < queue::DeviceHold::kBurstsAfterFree; ++i) ask(device, 300);
    EXPECT_TRUE(device.held_before.empty()) << "it was none of the bursts to come";
}

}  // namespace
}  // namespace xsched
