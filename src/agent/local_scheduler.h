// The scheduler of one process over its own queues: the same dispatcher and core that xserver runs.
// Owned by the agent; run() is its thread's body.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "dispatch/dispatcher.h"
#include "ipc/layout.h"

namespace xsched::agent {

class LocalScheduler {
public:
    // False, with one WARN line, if there is no such policy.
    bool prepare(const char* policy, ipc::Region& region);
    // Until `stop`: pass, sleep until a queue rings or a turn ends. Never calls the driver: a thread of the program may
    // hold the driver's lock until the very queue that a pass lets go has done its work.
    void run(ipc::Region& region, const std::atomic<bool>& stop);
    // A pass on the calling thread, unless one is under way. Takes no other lock.
    void decide_here();
    const char* policy_name() const { return policy_name_; }

private:
    int64_t pass();

    base::Mutex mutex_;  // one pass at a time; leaf lock
    dispatch::Dispatcher* dispatcher_ = nullptr;  // never freed while the process lives, but replaced
    const char* policy_name_ = "";
};

}  // namespace xsched::agent
