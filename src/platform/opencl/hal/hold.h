// Holds: user events that keep commands from starting, and the commands that each of them keeps.
//
// A command reports its completion through a callback on its event. If a hold is dropped, its commands end without
// running, and drivers differ in whether they call back then (PoCL 3.1 does not). So each command that carries a hold
// is watched: the callback or the drop reports it, whichever comes first, and only once.
#pragma once

#include <atomic>

#include "base/mutex.h"
#include "platform/opencl/hal/api.h"
#include "queue/device.h"

namespace xsched::opencl {

// Shared by the hold and the driver's callback; used again after the last of them.
struct WatchedCommand {
    static WatchedCommand* create(const ClApi& api, cl_event event, XqToken token);

    const ClApi* api = nullptr;
    cl_event event = nullptr;  // a reference of its own, given back by the report
    XqToken token = 0;
    std::atomic<bool> reported{false};
    std::atomic<int> owners{0};
    WatchedCommand* next = nullptr;  // of the same hold, or spare
    WatchedCommand* made_before = nullptr;

    void report();
    void disown();
};

class Hold {
public:
    // Creates a hold. nullptr: the driver refused; its error is in *code.
    static Hold* create(const ClApi& api, cl_context context, cl_int* code);
    ~Hold();

    cl_event event() const { return event_; }
    cl_int open() { return api_.clSetUserEventStatus(event_, CL_COMPLETE); }
    cl_int drop();
    // Watches the command of `event`, whose reference it takes over and may give back before it returns. The result
    // has one more owner, the driver's callback, which reports the completion and disowns. nullptr: no memory;
    // nothing was taken over.
    WatchedCommand* watch(cl_event event, XqToken token);

private:
    Hold(const ClApi& api, cl_event event) : api_(api), event_(event) {}

    const ClApi& api_;
    const cl_event event_;
    base::Mutex mutex_;
    bool dropped_ = false;  // guarded by mutex_
    WatchedCommand* watched_ = nullptr;  // guarded by mutex_
};

}  // namespace xsched::opencl
