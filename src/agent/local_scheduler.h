// The scheduler of one process over its own queues: the same dispatcher and core that xserver runs.
// Owned by the agent, which begins and ends its thread.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "base/thread.h"
#include "dispatch/dispatcher.h"
#include "ipc/layout.h"

namespace xsched::agent {

class LocalScheduler {
public:
    // Chooses the policy and the shared memory of the process's queues, for start() later. Returns false, after one
    // WARN line, if there is no such policy or no memory.
    bool prepare(const char* policy, ipc::Region& region);
    // Starts the scheduler's thread. Call prepare() first. While that thread runs, threads of the program call
    // `decide_here` to make a pass themselves.
    bool start(void (*decide_here)());
    // Ends the scheduler's thread. Returns false if there was none.
    bool stop();
    bool started() const { return thread_.started(); }
    // Makes a pass on the calling thread, unless another thread is making one. Takes no other lock.
    void decide_here();
    const char* policy_name() const { return policy_name_; }

private:
    static void* body(void* scheduler);
    // Makes passes until `stop`; sleeps until a queue rings or a turn ends. Never calls the driver: a thread of the
    // program may hold the driver's lock until a queue that a pass resumes has done its work.
    void run();
    int64_t pass();

    base::Mutex mutex_;  // one pass at a time; leaf lock
    dispatch::Dispatcher* dispatcher_ = nullptr;  // never freed while the process lives, but replaced
    ipc::Region* region_ = nullptr;
    const char* policy_name_ = "";
    void (*decide_here_)() = nullptr;
    base::Thread thread_;
    std::atomic<bool> stop_{false};
};

}  // namespace xsched::agent
