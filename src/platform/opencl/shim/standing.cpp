#include "platform/opencl/shim/standing.h"

#include <atomic>
#include <cerrno>
#include <new>

#include "base/mutex.h"
#include "platform/opencl/hal/event_rows.h"
#include "platform/opencl/hal/hal_abi.h"
#include "platform/opencl/shim/entry_points.h"
#include "platform/opencl/shim/queues.h"

namespace xsched::opencl {
namespace {

// The state of a command that stands: the number of incomplete events for which it waits. Shared by records of these
// events and by the call that made the command wait.
struct Wait {
    XqQueue* queue;
    XqStand stand;
    std::atomic<uint32_t> events;  // that are not complete
};

// An event for which a standing command waits. Its end is told by the driver's callback, which also frees the memory.
// If the program sets the event, that call tells it first: the callback may come after commands that waited have ended.
struct WaitedEvent {
    WaitedEvent* next;
    cl_event event;
    Wait* wait;
    bool over;  // it was told
};

constinit base::Mutex g_waited_mutex;
constinit EventRows<WaitedEvent> g_waited;  // guarded by it: those that are not over

void one_over(Wait* wait) {
    if (wait->events.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    xq_stand_over(wait->queue, wait->stand);
    delete wait;
}

// Returns true for the first call for this event only: the caller then reports the event's end.
bool takes_over(WaitedEvent* waited) {
    base::Lock lock(g_waited_mutex);
    if (waited->over) return false;
    g_waited.remove(waited);
    return waited->over = true;
}

void CL_CALLBACK event_over(cl_event, cl_int, void* data) {
    const int saved = errno;
    auto* waited = static_cast<WaitedEvent*>(data);
    if (takes_over(waited)) one_over(waited->wait);
    delete waited;
    errno = saved;
}

void CL_CALLBACK standing_event_over(cl_event event, cl_int, void*) {
    const int saved = errno;
    xocl_event_over(event);
    below<kEntry_clReleaseEvent>()(event);
    errno = saved;
}

void tell_when_over(cl_event event, Wait* wait) {
    auto* waited = new (std::nothrow) WaitedEvent{.next = nullptr, .event = event, .wait = wait, .over = false};
    if (waited == nullptr) return;
    wait->events.fetch_add(1, std::memory_order_relaxed);
    {
        base::Lock lock(g_waited_mutex);
        g_waited.add(waited);
    }
    if (below<kEntry_clSetEventCallback>()(event, CL_COMPLETE, event_over, waited) != CL_SUCCESS)
        event_over(event, CL_COMPLETE, waited);
}

bool is_complete(cl_event event) {
    cl_int status = CL_COMPLETE;
    const cl_int code =
        below<kEntry_clGetEventInfo>()(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return code != CL_SUCCESS || status <= CL_COMPLETE;  // a negative one: it failed
}

// Returns whether the event is ended by something else than the device of `waiting`.
bool is_foreign(cl_event event, XqQueue* waiting) {
    cl_command_queue queue = nullptr;
    if (event == nullptr ||
        below<kEntry_clGetEventInfo>()(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr) != CL_SUCCESS)
        return false;
    if (queue == nullptr) return !is_complete(event);
    XqQueue* const its = known_xqueue_of(queue);
    if (its == waiting) return !xq_keeps_order(waiting) && xocl_is_standing(event);
    if (xocl_is_standing(event)) return true;
    return its != nullptr && xq_device(its) != xq_device(waiting) && !is_complete(event);
}

Wait* new_wait(XqQueue* queue, bool blocks_all) {
    auto* wait = new (std::nothrow) Wait{.queue = queue, .stand = 0, .events = 1};
    if (wait == nullptr) return nullptr;
    wait->stand = xq_stand_begins(queue, blocks_all);
    if (wait->stand != 0) return wait;
    delete wait;
    return nullptr;
}

}  // namespace

XqStand begin_stand(XqQueue* queue, cl_uint count, const cl_event* events, bool blocks_all) {
    Wait* wait = nullptr;
    for (cl_uint i = 0; i < count; ++i) {
        if (!is_foreign(events[i], queue)) continue;
        if (wait == nullptr) wait = new_wait(queue, blocks_all);
        if (wait == nullptr) return 0;
        tell_when_over(events[i], wait);
    }
    if (wait == nullptr) return 0;
    const XqStand stand = wait->stand;
    one_over(wait);
    return stand;
}

void user_event_is_set(cl_event event) {
    for (bool more = g_waited.any(); more;) {
        Wait* wait = nullptr;
        {
            base::Lock lock(g_waited_mutex);
            WaitedEvent* const waited = g_waited.find(event);
            more = waited != nullptr;
            if (more) {
                g_waited.remove(waited);
                waited->over = true;
                wait = waited->wait;
            }
        }
        if (wait != nullptr) one_over(wait);
    }
}

WaitCommand::WaitCommand(cl_command_queue queue, cl_uint count, const cl_event* events, Kind kind)
    : queue_(known_xqueue_of(queue)) {
    if (queue_ == nullptr) return;
    const int saved = errno;
    const bool blocks_all = kind == Kind::kBarrier;
    const bool waits_for_all = count == 0 && blocks_all && !xq_keeps_order(queue_) && xq_has_stands(queue_);
    if (count > 0 && events != nullptr) producers_inherit(queue_, count, events);
    until_event_ = kind == Kind::kSemaphores || waits_for_all;
    if (until_event_)
        stand_ = xq_stand_begins(queue_, blocks_all);
    else if (events != nullptr)
        stand_ = begin_stand(queue_, count, events, blocks_all);
    until_event_ &= stand_ != 0;
    errno = saved;
}

void WaitCommand::returned(bool succeeded) {
    if (queue_ == nullptr) return;
    const int saved = errno;
    if (stand_ != 0) succeeded ? xq_stand_given(queue_, stand_) : xq_stand_over(queue_, stand_);
    if (succeeded && event_ != nullptr && *event_ != nullptr) {
        if (event_ != &own_ && (stand_ != 0 || xq_has_stands(queue_))) note_standing(*event_);
        if (until_event_) end_with(*event_);
    }
    if (own_ != nullptr) below<kEntry_clReleaseEvent>()(own_);
    errno = saved;
}

// Notes that the event of the wait command is incomplete for an unknown time: commands that wait for the event cannot
// run either. The note ends when the event is complete.
void WaitCommand::note_standing(cl_event event) {
    if (below<kEntry_clRetainEvent>()(event) != CL_SUCCESS) return;
    xocl_event_stands(event);
    if (below<kEntry_clSetEventCallback>()(event, CL_COMPLETE, standing_event_over, nullptr) == CL_SUCCESS) return;
    xocl_event_over(event);
    below<kEntry_clReleaseEvent>()(event);
}

void WaitCommand::end_with(cl_event event) const {
    auto* wait = new (std::nothrow) Wait{.queue = queue_, .stand = stand_, .events = 1};
    if (wait == nullptr) return xq_stand_over(queue_, stand_);
    tell_when_over(event, wait);
    one_over(wait);
}

}  // namespace xsched::opencl
