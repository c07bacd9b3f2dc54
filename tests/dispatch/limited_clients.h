// Clients of two users, of which one has limits.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "dispatch/fake_client.h"

namespace xsched::dispatch::testing {

class LimitedClients : public ::testing::Test {
protected:
    // Returns the client's view as one of the user with limits.
    ClientView view(FakeClient& client) const {
        ClientView result = client.view();
        result.limits = limits;
        result.record = std::make_shared<ClientRecord>();
        return result;
    }

    std::shared_ptr<UserLimits> limits = std::make_shared<UserLimits>();
    FakeClient one{1, 100};
    FakeClient two{2, 200};
    FakeClient other{3, 300};
    Dispatcher dispatcher{hpf_core()};
};

}  // namespace xsched::dispatch::testing
