// Events and user events.
#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

extern "C" {

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (fake::g_settings.no_user_events) return refuse(errcode_ret, CL_OUT_OF_RESOURCES);
    auto* event = new _cl_event(fake::Kind::kUserEvent, 1);
    event->context = fake::Ref(context);
    event->status.store(CL_SUBMITTED, std::memory_order_relaxed);
    fake::put_error(errcode_ret, CL_SUCCESS);
    return event;
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
    FAKE_ENTRY();
    if (!fake::good(event) || event->kind != fake::Kind::kUserEvent) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    if (fake::set_user_status(event, status)) return CL_SUCCESS;
    fake::report_misuse("user event %p is set twice", static_cast<void*>(event));
    return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events) {
    FAKE_ENTRY();
    if (count == 0 || events == nullptr) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; ++i) {
        if (!fake::good(events[i])) return CL_INVALID_EVENT;
        if (events[i]->context.get() != events[0]->context.get()) return CL_INVALID_CONTEXT;
    }
    if (!fake::may_block("clWaitForEvents")) return CL_INVALID_OPERATION;
    if (fake::break_now(fake::Break::kUnblock)) return CL_SUCCESS;
    cl_int result = CL_SUCCESS;
    for (cl_uint i = 0; i < count; ++i) {
        if (events[i]->queue) fake::flush(events[i]->queue.get());
    }
    for (cl_uint i = 0; i < count; ++i) {
        fake::wait_for(events[i]);
        if (events[i]->status.load() < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return result;
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(event)) return CL_INVALID_EVENT;
    switch (name) {
        case CL_EVENT_COMMAND_QUEUE: return give(event->queue.get(), room, value, size_ret);
        case CL_EVENT_CONTEXT: return give(event->context.get(), room, value, size_ret);
        case CL_EVENT_COMMAND_TYPE: return give(event->type, room, value, size_ret);
        case CL_EVENT_COMMAND_EXECUTION_STATUS:
            return give(event->status.load(std::memory_order_acquire), room, value, size_ret);
        case CL_EVENT_REFERENCE_COUNT: return give(static_cast<cl_uint>(event->refs.load()), room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void* value,
                                           size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(event)) return CL_INVALID_EVENT;
    if (!event->queue || !event->queue->profiling()) return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (event->status.load(std::memory_order_acquire) > CL_COMPLETE) return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_COMPLETE) return CL_INVALID_VALUE;
    const auto which = name - CL_PROFILING_COMMAND_QUEUED;
    return give(cl_ulong{event->times[which].load()}, room, value, size_ret);
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK* call)(cl_event, cl_int, void*),
                                      void* data) {
    FAKE_ENTRY();
    if (!fake::good(event)) return CL_INVALID_EVENT;
    if (call == nullptr) return CL_INVALID_VALUE;
    if (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE) return CL_INVALID_VALUE;
    if (fake::g_settings.noop.load(std::memory_order_relaxed) && event->queue) {  // complete since it was enqueued
        call(event, CL_COMPLETE, data);
    } else {
        fake::add_callback(event, {type, call, data});
    }
    return CL_SUCCESS;
}
}
