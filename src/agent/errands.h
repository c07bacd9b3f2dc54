// Makes driver calls that queues want and that belong to no stream of the program: work of a moment that switches the
// device to this context before a burst, and the preparation of keep-alives. The driver may block such a call for as
// long as it likes. So a thread of its own makes them; it starts with the first one. No other thread waits for this
// thread, and no scheduling decision depends on it. Called by the agent's thread.
#pragma once

#include <atomic>

#include "base/futex.h"
#include "base/thread.h"

namespace xsched::agent {

class Errands {
public:
    // Starts the thread if it does not run yet, early, because the program may later lose the right to start threads.
    // Call before the agent's thread starts.
    void start();
    // Asks the thread to look at all queues for calls to make.
    void run_soon();

private:
    static void* body(void* errands);
    void run();

    base::FutexWord asked_{0};
    bool refused_ = false;  // no thread could be started
    base::Thread thread_;
};

}  // namespace xsched::agent
