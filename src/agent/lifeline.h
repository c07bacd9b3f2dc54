// Notices at once that the connection to xserver ended. A small thread sleeps in poll on the socket; the agent's own
// sleeps on a futex word, which no descriptor can wake. Start and stop: the thread that starts and stops the agent.
// changed: the agent's thread.
#pragma once

#include <atomic>

#include "agent/connection.h"
#include "base/futex.h"
#include "base/thread.h"

namespace xsched::agent {

class Lifeline {
public:
    // Starts the thread, which calls `ended` once for each connection that ends. Returns whether the thread could be
    // started.
    bool start(Connection& connection, void (*ended)());
    void stop();
    // Notes that the connection was opened or closed.
    void changed();

private:
    static void* body(void* lifeline);
    void watch();

    Connection* connection_ = nullptr;
    void (*ended_)() = nullptr;
    base::FutexWord changes_{0};
    std::atomic<bool> stop_{false};
    base::Thread thread_;
};

}  // namespace xsched::agent
