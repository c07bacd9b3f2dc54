// A server with two programs on one device: a trainer, which always has work, and an urgent one with bursts.
#pragma once

#include <chrono>
#include <thread>

#include "support/eventually.h"
#include "support/server_rig.h"

namespace xsched::test {

template <typename Rig>  // WithServer, or what is made of it
class TrainerAndUrgent : public Rig {
protected:
    void SetUp() override {
        this->start();
        ASSERT_TRUE(victim.connect(this->socket(), "trainer"));
        ASSERT_TRUE(urgent.connect(this->socket(), "urgent"));
        victim.add_queue(0, 0, 0xab1);
        urgent.add_queue(0, 10, 0xab2);
        victim.submit(0);
    }
    void begin_burst() {
        urgent.submit(0);
        ASSERT_TRUE(victim.becomes_suspended(0, true));
    }
    // Gives the urgent program a burst, which holds the trainer for this time.
    void burst(int64_t ms) {
        ASSERT_NO_FATAL_FAILURE(begin_burst());
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        urgent.complete(0);
        ASSERT_TRUE(victim.becomes_suspended(0, false));
    }
    TestClient victim, urgent;
};

}  // namespace xsched::test
