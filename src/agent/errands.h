// Calls of the vendor's driver that queues want made, for no stream of the program's: a moment's work so that the
// device has switched to us when a burst begins, and the preparation of keep-alives. The driver may keep such a call
// waiting for as long as it likes, so a thread of its own makes them, started with the first. No other thread waits for
// it, and no program is kept off a device, or on it, by it. Agent's thread.
#pragma once

#include <atomic>

#include "base/futex.h"
#include "base/thread.h"

namespace xsched::agent {

class Errands {
public:
    // The thread, if there is none yet: the program may lose the right to start any. Before the agent's thread.
    void start();
    // The thread looks at all queues.
    void run_soon();

private:
    static void* body(void* errands);
    void run();

    base::FutexWord asked_{0};
    bool refused_ = false;  // no thread could be started
    base::Thread thread_;
};

}  // namespace xsched::agent
