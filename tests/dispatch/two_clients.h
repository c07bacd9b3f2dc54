// The usual situation: see TwoClients.
#pragma once

#include <gtest/gtest.h>

#include "dispatch/fake_client.h"
#include "sched/pattern/pauses.h"

namespace xsched::dispatch::testing {

using sched::Reason;

// A low and a high client with one queue each on the same device.
class TwoClients : public ::testing::Test {
protected:
    explicit TwoClients(sched::Settings settings = {}) : dispatcher(hpf_core(settings)) {
        low.make_queue(0, 0);
        high.make_queue(0, 10);
        dispatcher.add_client(low.view());
        dispatcher.add_client(high.view());
    }
    Reason reason(FakeClient& client, uint32_t at = 0) { return static_cast<Reason>(client.slot(at).reason.load()); }

    // Gives both clients work from kStart on. Returns when the dispatcher wants to look again.
    int64_t both_submit() {
        low.submit(0, kStart);
        high.submit(0, kStart);
        return dispatcher.pass(kStart);
    }
    // Plays bursts of `high` with pauses of that length until the scheduler knows them. Returns the time then.
    int64_t learn_pauses(int64_t pause_ns) {
        int64_t now = kStart;
        for (unsigned i = 0; i < 2 * sched::Pauses::kEnough; ++i) {
            high.submit(0, now);
            dispatcher.pass(now);
            high.complete(0, now + kMs);
            dispatcher.pass(now + kMs);
            now += kMs + pause_ns;
        }
        return now;
    }

    FakeClient low{1, 100};
    FakeClient high{2, 200};
    Dispatcher dispatcher;
};

}  // namespace xsched::dispatch::testing
