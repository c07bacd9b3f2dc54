// Threads of ours inside somebody else's process: all signals blocked (they are the guest's), named "xsched-...",
// and a failure to start is a result, not an exception.
#pragma once

#include <pthread.h>

namespace xsched::base {

class Thread {
public:
    Thread() = default;
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // `name` at most 15 characters. False if the system refuses a thread, or a sandbox may.
    bool start(const char* name, void* (*body)(void*), void* argument);
    // Waits for the body to return. No effect on a thread that was never started.
    void join();
    void detach();
    bool started() const { return started_; }

private:
    pthread_t thread_{};
    bool started_ = false;
};

}  // namespace xsched::base
