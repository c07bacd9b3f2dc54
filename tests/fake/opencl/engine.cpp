#include "fake/opencl/engine.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "fake/opencl/executor.h"
#include "fake/opencl/settings.h"

namespace fake {

std::mutex& graph_mutex() {
    static std::mutex& mutex = *new std::mutex;  // never destroyed: executors outlive main
    return mutex;
}

namespace {

constexpr int kQueued = 0, kSubmitted = 1, kStarted = 2, kEnded = 3, kComplete = 4;  // of _cl_event::times

thread_local std::deque<cl_event> t_ready;  // inline mode: what this thread made ready
thread_local bool t_draining = false;

void stamp(cl_event event, int which) { event->times[which].store(clock_ns(), std::memory_order_relaxed); }

// Graph mutex held.
void make_ready(cl_event event) {
    if (g_settings.callback_thread == CallbackThread::kInline) {
        t_ready.push_back(event);
    } else {
        event->queue->device->executor->push(event);
    }
}

void satisfy(cl_event event) {
    if (--event->waits == 0) make_ready(event);
}

void depend(cl_event event, cl_event on, bool in_wait_list) {
    const cl_int status = on->status.load(std::memory_order_relaxed);
    if (status > CL_COMPLETE) {
        on->dependents.emplace_back(event, in_wait_list);
        ++event->waits;
    } else if (status < 0 && in_wait_list) {
        event->failed_by = status;
    }
}

void depend_on_queue(cl_event event, cl_command_queue queue, bool everything_before) {
    if (!queue->out_of_order()) {
        if (queue->last != nullptr && !break_now(Break::kOrder)) depend(event, queue->last, false);
        return;
    }
    if (everything_before) {
        for (const cl_event before : queue->outstanding) depend(event, before, false);
    } else if (queue->barrier != nullptr) {
        depend(event, queue->barrier, false);
    }
}

// Removes and returns the event's callbacks that are due at this status. The graph's mutex is held.
std::vector<EventCallback> take_callbacks(cl_event event, cl_int status) {
    std::vector<EventCallback> due;
    auto& all = event->callbacks;
    const auto split =
        std::stable_partition(all.begin(), all.end(), [status](const EventCallback& it) { return it.type < status; });
    due.assign(split, all.end());
    all.erase(split, all.end());
    return due;
}

void finish(cl_event event, cl_int status) {
    std::vector<EventCallback> due;
    {
        const std::lock_guard lock(graph_mutex());
        stamp(event, kComplete);
        if (cl_command_queue queue = event->queue.get(); queue != nullptr) {
            if (queue->last == event) queue->last = nullptr;
            if (queue->barrier == event) queue->barrier = nullptr;
            queue->outstanding.erase(event);
        }
        event->status.store(status, std::memory_order_release);
        due = take_callbacks(event, status);
        for (const auto& [dependent, in_wait_list] : event->dependents) {
            if (status < 0 && in_wait_list) dependent->failed_by = status;
            satisfy(dependent);
        }
        event->dependents.clear();
    }
    event->status.notify_all();
    call_back(event, std::move(due), status);
}

void begin(cl_event event) {
    std::vector<EventCallback> submitted, running;
    {
        const std::lock_guard lock(graph_mutex());
        stamp(event, kSubmitted);
        event->status.store(CL_SUBMITTED, std::memory_order_release);
        submitted = take_callbacks(event, CL_SUBMITTED);
    }
    call_back(event, std::move(submitted), CL_SUBMITTED);
    {
        const std::lock_guard lock(graph_mutex());
        stamp(event, kStarted);
        event->status.store(CL_RUNNING, std::memory_order_release);
        running = take_callbacks(event, CL_RUNNING);
    }
    call_back(event, std::move(running), CL_RUNNING);
}

cl_event new_event(const Submission& s) {
    auto* event = new _cl_event(Kind::kEvent, s.event_out != nullptr ? 1 : 0);
    event->queue = Ref(s.queue);
    event->context = s.queue->context;
    event->type = s.type;
    return event;
}

cl_int enqueue_noop(Submission& s) {
    if (s.event_out == nullptr) return CL_SUCCESS;
    cl_event event = new_event(s);
    event->status.store(CL_COMPLETE, std::memory_order_release);
    *s.event_out = event;
    return CL_SUCCESS;
}

// Puts the command into the graph. The graph's mutex must not be held.
void link_command(cl_event event, const Submission& s) {
    cl_command_queue queue = s.queue;
    const bool barrier = s.type == CL_COMMAND_BARRIER;
    const bool marker = s.type == CL_COMMAND_MARKER;
    const std::lock_guard lock(graph_mutex());
    event->waits = 1;
    depend_on_queue(event, queue, (barrier || marker) && s.wait_count == 0);
    if (!break_now(Break::kWaits)) {
        for (cl_uint i = 0; i < s.wait_count; ++i) depend(event, s.wait_list[i], true);
    }
    queue->last = event;
    if (barrier) queue->barrier = event;
    queue->outstanding.insert(event);
    if (g_settings.defer_until_flush) {
        queue->unflushed.push_back(event);
    } else {
        satisfy(event);
    }
}

}  // namespace

// Executes a ready command. The caller is the thread that took it: an executor thread, or the thread whose action
// made the command ready.
void run_command(cl_event event) {
    begin(event);
    const bool early = break_now(Break::kEarly);
    cl_int status = event->failed_by < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : event->async_failure;
    std::function<cl_int()> action = std::move(event->action);
    if (early) finish(event, status);
    delay_randomly();
    if (status == CL_SUCCESS && action && !break_now(Break::kDrop)) status = action();
    action = nullptr;  // what it holds goes before anyone hears of the end
    stamp(event, kEnded);
    if (!early) finish(event, status);
    unpin(event);
}

// Inline mode: runs what this thread made ready, and what that makes ready.
static void drain() {
    if (t_draining) return;  // a callback's call: the outer loop goes on afterwards
    t_draining = true;
    while (!t_ready.empty()) {
        const cl_event event = t_ready.front();
        t_ready.pop_front();
        run_command(event);
    }
    t_draining = false;
}

cl_int check_queue(cl_command_queue queue) {
    if (!good(queue) || queue->on_device()) return CL_INVALID_COMMAND_QUEUE;
    return CL_SUCCESS;
}

cl_int check_wait_list(cl_command_queue queue, cl_uint count, const cl_event* list) {
    if ((count == 0) != (list == nullptr)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; ++i) {
        if (!good(list[i])) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[i]->context.get() != queue->context.get()) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int enqueue(Submission s) {
    if (g_settings.noop.load(std::memory_order_relaxed)) return enqueue_noop(s);
    if (const cl_int bad = check_wait_list(s.queue, s.wait_count, s.wait_list); bad != CL_SUCCESS) return bad;
    if (s.blocking && !may_block("a blocking enqueue")) return CL_INVALID_OPERATION;
    cl_event event = new_event(s);
    stamp(event, kQueued);
    event->async_failure = take_async_failure();
    event->action = std::move(s.action);
    if (s.event_out != nullptr) pin(event);  // pins: the engine's, and the program's references
    const Ref<_cl_event> keep(event);
    if (s.event_out != nullptr) *s.event_out = event;
    link_command(event, s);
    drain();
    if (!s.blocking) return CL_SUCCESS;
    flush(s.queue);
    if (!break_now(Break::kUnblock)) wait_for(event);
    const cl_int status = event->status.load(std::memory_order_acquire);
    return status < 0 ? status : CL_SUCCESS;
}

void flush(cl_command_queue queue) {
    {
        const std::lock_guard lock(graph_mutex());
        for (const cl_event event : queue->unflushed) satisfy(event);
        queue->unflushed.clear();
    }
    drain();
}

void wait_for(cl_event event) {
    if (event->queue) flush(event->queue.get());
    for (;;) {
        const cl_int status = event->status.load(std::memory_order_acquire);
        if (status <= CL_COMPLETE) return;
        event->status.wait(status, std::memory_order_acquire);
    }
}

void wait_all(cl_command_queue queue) {
    flush(queue);
    std::vector<Ref<_cl_event>> all;
    {
        const std::lock_guard lock(graph_mutex());
        for (const cl_event event : queue->outstanding) all.emplace_back(event);
    }
    if (break_now(Break::kUnblock)) return;
    for (const auto& event : all) wait_for(event.get());
}

bool set_user_status(cl_event event, cl_int status) {
    {
        const std::lock_guard lock(graph_mutex());
        if (event->waits != 0) return false;
        event->waits = 1;  // of a user event: it has been set
    }
    const Ref<_cl_event> keep(event);
    finish(event, status);
    drain();
    return true;
}

void abandon_user_event(cl_event event) {
    size_t waiting = 0;
    {
        const std::lock_guard lock(graph_mutex());
        if (event->waits == 0) waiting = event->dependents.size();
    }
    if (waiting == 0) return;
    report_misuse("user event %p is released unset while %zu commands wait for it", static_cast<void*>(event), waiting);
    set_user_status(event, CL_INVALID_EVENT);
}

void add_callback(cl_event event, EventCallback callback) {
    cl_int status = CL_COMPLETE;
    std::vector<EventCallback> due;
    {
        const std::lock_guard lock(graph_mutex());
        status = event->status.load(std::memory_order_relaxed);
        if (status > callback.type) {
            event->callbacks.push_back(callback);
        } else {
            due.push_back(callback);
        }
    }
    call_back(event, std::move(due), status < 0 ? status : callback.type);
    drain();
}

}  // namespace fake
