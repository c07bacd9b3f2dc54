#include "platform/opencl/shim/launch.h"

#include <atomic>
#include <cerrno>

#include "platform/opencl/hal/hal_abi.h"
#include "platform/opencl/shim/standing.h"

namespace xsched::opencl {
namespace {

static_assert(sizeof(XqToken) == sizeof(void*), "a token travels as a callback's argument");

std::atomic<bool> g_untracked_logged{false};

// Notes that a command is complete. The driver calls this for the command's event, on a thread of its own or on a
// program's thread inside a call.
void CL_CALLBACK command_done(cl_event event, cl_int, void* token) {
    const int saved = errno;
    xq_complete(reinterpret_cast<XqToken>(token));
    xocl_event_over(event);
    below<kEntry_clReleaseEvent>()(event);
    errno = saved;
}

void CL_CALLBACK held_command_done(cl_event, cl_int, void* watched) {
    const int saved = errno;
    xocl_watched_done(watched);
    errno = saved;
}

// Asks for a callback. Returns false if there will be none when the command is done.
bool call_back(cl_event event, void(CL_CALLBACK* callback)(cl_event, cl_int, void*), void* data) {
    const cl_int code =
        event == nullptr ? CL_INVALID_EVENT : below<kEntry_clSetEventCallback>()(event, CL_COMPLETE, callback, data);
    if (code != CL_SUCCESS && !g_untracked_logged.exchange(true))
        XLOG_WARN("the OpenCL driver does not report completions (error %d): commands count as complete at once", code);
    return code == CL_SUCCESS;
}

}  // namespace

Launch::Launch(XqQueue* xqueue, bool blocking, EventArguments& events)
    : xqueue_(xqueue), events_(events), blocking_(blocking) {
    // If count and wait list contradict each other, they go to the driver unchanged, which refuses them.
    if ((events.count == 0) != (events.wait_list == nullptr)) return;
    const int saved = errno;
    if (events.count > 0) {
        producers_inherit(xqueue, events.count, events.wait_list);
        stand_ = begin_stand(xqueue, events.count, events.wait_list, false);
    }
    stand_ != 0 ? xq_admit_standing(xqueue, &ticket_, stand_) : xq_admit(xqueue, &ticket_);
    admitted_ = true;
    if (ticket_.hold != nullptr) add_hold();
    if (ticket_.token != 0 && !blocking && events.event == nullptr) events.event = &own_event_;
    errno = saved;
}

void Launch::note_copy(uint64_t bytes) const {
    const int saved = errno;
    if (admitted_) xq_note_copy(xqueue_, bytes);
    errno = saved;
}

void Launch::add_hold() {
    const cl_event hold = xocl_hold_event(ticket_.hold);
    if (!with_hold_.make(nullptr, events_.wait_list, events_.count, &hold)) return;  // no memory: it runs unheld
    events_.wait_list = with_hold_.list();
    events_.count = with_hold_.count();
}

void Launch::returned(bool succeeded) {
    if (!admitted_) return;
    const int saved = errno;
    if (!succeeded && stand_ != 0) xq_stand_over(xqueue_, stand_);
    if (succeeded && ticket_.token != 0 && !blocking_) {
        launched_tracked(*events_.event);
    } else {
        const XqToken token = ticket_.token;
        xq_launched(xqueue_, &ticket_, succeeded ? kXqSucceeded : kXqFailed);
        if (succeeded && token != 0) xq_complete(token);
    }
    errno = saved;
}

// Passes the launched command on to the queue, with its event. `event`: the driver's event for the command. If it is
// own_event_, the program has no reference to it.
void Launch::launched_tracked(cl_event event) {
    const auto retain = below<kEntry_clRetainEvent>();
    const auto release = below<kEntry_clReleaseEvent>();
    const XqToken token = ticket_.token;
    // Take the reference that the callback will give back now. Later the command may be complete, and the program may
    // have given back its own.
    if (event != nullptr && event != own_event_) {
        retain(event);
        if (ticket_.stand != 0) xocl_event_stands(event);
    }
    void* watched = nullptr;
    if (event != nullptr && ticket_.hold != nullptr) {
        retain(event);  // for the rest of this function
        watched = xocl_watch(ticket_.hold, event, token);
        if (watched == nullptr) release(event);
    }
    xq_launched(xqueue_, &ticket_, kXqSucceeded);  // the hold may be gone from here on
    if (watched != nullptr) {
        if (!call_back(event, held_command_done, watched)) xocl_watched_done(watched);
        release(event);
    } else if (!call_back(event, command_done, reinterpret_cast<void*>(token))) {
        xq_complete(token);
        if (event != nullptr) {
            xocl_event_over(event);
            release(event);
        }
    }
}

}  // namespace xsched::opencl
