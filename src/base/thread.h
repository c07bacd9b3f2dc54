// Threads of ours inside the user's process: all signals blocked (they are the guest's), named "xsched-...",
// and a failure to start is a result, not an exception.
#pragma once

#include <pthread.h>

#include "base/no_copies.h"

namespace xsched::base {

class Thread : NoCopies {
public:
    Thread() = default;

    // Starts the thread. `name`: at most 15 characters. Returns false if the system refuses, or if a sandbox might.
    bool start(const char* name, void* (*body)(void*), void* argument);
    // Waits until the body returns. Does nothing for a thread that was never started.
    void join();
    void detach();
    bool started() const { return started_; }

private:
    pthread_t thread_{};
    bool started_ = false;
};

}  // namespace xsched::base
