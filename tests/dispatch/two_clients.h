// The usual situation: see TwoClients.
#pragma once

#include <gtest/gtest.h>

#include "dispatch/fake_client.h"

namespace xsched::dispatch::testing {

// A low and a high client with one queue each on the same device.
class TwoClients : public ::testing::Test {
protected:
    explicit TwoClients(sched::Settings settings = {}) : dispatcher(hpf_core(settings)) {
        low.make_queue(0, 0);
        high.make_queue(0, 10);
        dispatcher.add_client(low.view());
        dispatcher.add_client(high.view());
    }
    sched::Reason reason(FakeClient& client, uint32_t at = 0) {
        return static_cast<sched::Reason>(client.slot(at).reason.load());
    }

    FakeClient low{1, 100};
    FakeClient high{2, 200};
    Dispatcher dispatcher;
};

}  // namespace xsched::dispatch::testing
