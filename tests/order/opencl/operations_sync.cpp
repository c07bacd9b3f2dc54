// Markers, barriers, waits, flushes, polls, user events and queues that come and go.
#include <algorithm>

#include "order/opencl/worker.h"

namespace order::opencl {

void Worker::run_marker(Context& context) {
    Plan plan{context.queue(random_), {}};
    const QueuePtr queue = plan.queue;
    const bool old_form = random_.once_in(4);
    const std::vector<TrackerPtr> before = queue->remembered();
    bool waits_for_all = false;
    const TrackerPtr marker =
        submit(plan, {CL_COMMAND_MARKER, "marker", true}, [&](cl_uint count, const cl_event* list, cl_event* event) {
            waits_for_all = count == 0;
            if (old_form && count == 0) return clEnqueueMarker(queue->handle, event);
            return clEnqueueMarkerWithWaitList(queue->handle, count, list, event);
        });
    if (!marker || !random_.once_in(8)) return;
    cl_event event = marker->event();
    Activity::set("waiting for a marker");
    expect_success(clWaitForEvents(1, &event), "clWaitForEvents");
    for (const TrackerPtr& it : before) {
        if (!it->complete() && (waits_for_all || queue->in_order)) {
            violation("a marker is complete before %s, enqueued earlier", it->what());
        }
    }
}

void Worker::run_barrier(Context& context) {
    Plan plan{context.queue(random_), {}};
    const QueuePtr queue = plan.queue;
    submit(plan, {CL_COMMAND_BARRIER, "barrier"}, [&](cl_uint count, const cl_event* list, cl_event* event) {
        if (event == nullptr && count == 0) return clEnqueueBarrier(queue->handle);
        if (event == nullptr && world_.wait_for_events && random_.once_in(2))
            return clEnqueueWaitForEvents(queue->handle, count, list);
        return clEnqueueBarrierWithWaitList(queue->handle, count, list, event);
    });
}

void Worker::run_wait(Context& context) {
    std::vector<TrackerPtr> chosen;
    std::vector<cl_event> events;
    for (const TrackerPtr& it : pending_) {
        if (&it->queue()->context != &context || !random_.once_in(6)) continue;
        chosen.push_back(it);
        events.push_back(it->event());
    }
    if (events.empty()) return;
    Activity::set("clWaitForEvents");
    expect_success(clWaitForEvents(static_cast<cl_uint>(events.size()), events.data()), "clWaitForEvents");
    for (const TrackerPtr& it : chosen) it->check_complete("clWaitForEvents");
    count_operation();
}

void Worker::run_finish(Context& context) {
    const QueuePtr queue = context.queue(random_);
    const std::vector<TrackerPtr> before = queue->remembered();
    Activity::set("clFinish");
    expect_success(clFinish(queue->handle), "clFinish");
    for (const TrackerPtr& it : before) it->check_complete("clFinish");
    count_operation();
}

void Worker::run_flush(Context& context) {
    expect_success(clFlush(context.queue(random_)->handle), "clFlush");
    count_operation();
}

void Worker::run_poll() {
    if (pending_.empty()) return;
    const TrackerPtr& it = pending_.any(random_);
    if (random_.once_in(4)) {
        expect_success(clRetainEvent(it->event()), "clRetainEvent");
        expect_success(clReleaseEvent(it->event()), "clReleaseEvent");
    }
    if (it->complete()) it->check_complete("poll");
    cl_command_queue queue = nullptr;
    expect_success(clGetEventInfo(it->event(), CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr),
                   "clGetEventInfo");
    if (queue != it->queue()->handle) violation("%s: its event names another queue", it->what());
    count_operation();
}

// A user event that no command waits for: set, watched and waited for by the program alone.
void Worker::run_user_event(Context& context) {
    cl_event event = gate(context);
    if (random_.once_in(2)) {
        Activity::set("clWaitForEvents (user event)");
        expect_success(clWaitForEvents(1, &event), "clWaitForEvents");
        cl_int status = CL_QUEUED;
        expect_success(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                       "clGetEventInfo");
        if (status != CL_COMPLETE) violation("clWaitForEvents returned with a user event at %d", status);
    }
    expect_success(clReleaseEvent(event), "clReleaseEvent");
    count_operation();
}

// The old queue is released with work still in it; what comes next on its buffers waits for events instead.
void Worker::run_new_queue(Context& context) {
    const QueuePtr old = context.replace_queue(random_);
    context.for_each_buffer([&old](Buffer& buffer) {
        const Lock lock(buffer.mutex, std::try_to_lock);
        if (lock.owns_lock() && buffer.last_queue == old) last_access(buffer);
    });
    expect_success(clFlush(old->handle), "clFlush");
    count_operation();
}

}  // namespace order::opencl
