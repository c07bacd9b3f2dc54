// The common part of tests of mechanisms in slots: `low`, a victim of long commands, and `high`, which is more urgent.
// Both can be interrupted.
#pragma once

#include <gtest/gtest.h>

#include "dispatch/two_clients.h"
#include "sched/pattern/pauses.h"

namespace xsched::dispatch::testing {

inline constexpr int64_t kLongNs = 5 * kMs, kBriefNs = 100 * kUs;

class MechanismInSlots : public TwoClients {
protected:
    explicit MechanismInSlots(sched::Settings settings = {}) : TwoClients(settings) {}
    void SetUp() override {
        TwoClients::SetUp();
        low.make_interruptible(0);
        high.make_interruptible(0);
        low.slot(0).command_ns = kLongNs;
    }
    bool interrupt(uint32_t at = 0) { return low.slot(at).interrupt.load() != 0; }
    // Plays bursts of a process with a keep-alive, each of whose pauses begins with a wait, until that is believed.
    // Returns the time then.
    int64_t learn_waits() {
        high.header().keeps_alive = 1;
        int64_t now = kStart;
        for (unsigned i = 0; i < sched::Pauses::kEnough; ++i) {
            ++high.header().keep_alive_synchronizes;
            high.submit(0, now);
            dispatcher.pass(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            now += kMs + 20 * kUs;
        }
        return now;
    }
    // Begins a burst of `high`, a millisecond after `low` began to work. Returns when.
    int64_t begin_burst(int64_t now) {
        low.submit(0, now);
        dispatcher.pass(now);
        now += kMs;
        high.submit(0, now);
        again_ns = dispatcher.pass(now);
        return now;
    }
    // Begins a burst of a process that is known to pause, beside a victim with brief commands. Returns the time.
    int64_t begin_known_burst() {
        low.slot(0).command_ns = kBriefNs;
        return begin_burst(learn_pauses(20 * kUs) + 20 * kMs);
    }
    // Runs commands of `low` that take 0.6 ms each although they are short in the mean. Returns when they were
    // launched.
    int64_t run_long_commands() {
        const int64_t now = learn_pauses(20 * kUs) + 20 * kMs;
        low.slot(0).command_ns = kBriefNs;
        for (int i = 0; i < 100; ++i) low.submit(0, now);
        dispatcher.pass(now);
        low.slot(0).completed += 32;
        low.slot(0).busy_ns += 20 * kMs;
        return now;
    }
    int64_t again_ns = 0;
    FakeClient other{3, 300};  // an equal of low's, once it is added
    void add_other() {
        other.make_queue(0, 0);
        other.make_interruptible(0);
        other.slot(0).command_ns = kLongNs;
        dispatcher.add_client(other.view());
        for (const uint32_t id : {1U, 2U, 3U}) dispatcher.act_for(id, {1});
    }
    void all_submit() {
        for (FakeClient* client : {&low, &other, &high}) client->submit(0, kStart);
        dispatcher.pass(kStart);
    }
};

}  // namespace xsched::dispatch::testing
