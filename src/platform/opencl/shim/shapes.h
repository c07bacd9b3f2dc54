// OpenCL's hooks, by the names that api/opencl.json has for them ("hook"). Each is a template over the function below
// us (Callee: its Type, kName and driver()); the types of its arguments are the vendor's own.
//
//   scheduled             a command: the arguments end in a wait list and an event (launch.h); "blocking" in the row
//   says
//                         which argument tells whether the call blocks
//   copy                  the same of reads, writes and copies of buffers, which go in pieces while others compete
//                         (copies.h)
//   marker, barrier, wait_semaphores, signal_semaphores   no work; they may stand (standing.h)
//   set_user_event        ends what stands for it
//   finish                waits for all of a queue
//   create_queue, retain_queue, release_queue, set_queue_property   the life of queues
//   create_command_buffer, get_extension                            (extension_hooks.cpp)
//   traced                only logged (trace.h)
#pragma once

#include <cerrno>

#include "platform/opencl/shim/copies.h"
#include "platform/opencl/shim/extensions.h"
#include "platform/opencl/shim/launch.h"
#include "platform/opencl/shim/new_queue.h"
#include "platform/opencl/shim/queues.h"
#include "platform/opencl/shim/standing.h"
#include "platform/opencl/shim/trace.h"

namespace xsched::opencl {

template <typename Callee, int kBlockingAt = kNeverBlocks>
inline constexpr auto scheduled = &Enqueue<Callee, kBlockingAt>::call;

template <typename Callee, int kBlockingAt = kNeverBlocks>
inline constexpr auto copy = &InPieces<Callee, kBlockingAt>::call;

template <typename Callee>
inline constexpr auto traced = &Traced<Callee>::call;

// Hooks a marker or barrier, which does no work and is never held. Without a wait list it stands for everything before
// it, which a hold would change; with a wait list it ends when the listed events do.
template <typename Callee>
cl_int marker(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
    WaitCommand wait(queue, count, events, WaitCommand::Kind::kMarker);
    const cl_int code = Callee::driver()(queue, count, events, wait.event(event));
    wait.returned(code == CL_SUCCESS);
    return code;
}

// Hooks a barrier. The oldest form of the call has no event.
template <typename Callee, typename... Event>
cl_int barrier(cl_command_queue queue, cl_uint count, const cl_event* events, Event... event) {
    WaitCommand wait(queue, count, events, WaitCommand::Kind::kBarrier);
    const cl_int code = Callee::driver()(queue, count, events, wait.event(event)...);
    wait.returned(code == CL_SUCCESS);
    return code;
}

// Semaphores of cl_khr_semaphore, also those that another interface or process signals.
template <typename Callee>
cl_int wait_semaphores(cl_command_queue queue, cl_uint semaphores, const cl_semaphore_khr* list,
                       const cl_semaphore_payload_khr* values, cl_uint count, const cl_event* events, cl_event* event) {
    WaitCommand wait(queue, count, events, WaitCommand::Kind::kSemaphores);
    const cl_int code = Callee::driver()(queue, semaphores, list, values, count, events, wait.event(event));
    wait.returned(code == CL_SUCCESS);
    return code;
}

template <typename Callee>
cl_int signal_semaphores(cl_command_queue queue, cl_uint semaphores, const cl_semaphore_khr* list,
                         const cl_semaphore_payload_khr* values, cl_uint count, const cl_event* events,
                         cl_event* event) {
    WaitCommand wait(queue, count, events, WaitCommand::Kind::kMarker);
    const cl_int code = Callee::driver()(queue, semaphores, list, values, count, events, wait.event(event));
    wait.returned(code == CL_SUCCESS);
    return code;
}

template <typename Callee>
cl_int set_user_event(cl_event event, cl_int status) {
    const int saved = errno;
    user_event_is_set(event);
    errno = saved;
    return Callee::driver()(event, status);
}

template <typename Callee>
cl_int finish(cl_command_queue queue) {
    XLOG_DEBG("%s on queue %p", Callee::kName, static_cast<void*>(queue));
    XqQueue* xqueue = known_xqueue_of(queue);
    if (xqueue == nullptr) return Callee::driver()(queue);
    const uint64_t mark = xq_sync_begin(xqueue);
    const cl_int code = Callee::driver()(queue);
    const int saved = errno;
    if (code == CL_SUCCESS) xq_sync_end(xqueue, mark);
    errno = saved;
    return code;
}

// Calls the driver's function that makes a queue, and notes the queue. `properties`: flags in older functions,
// otherwise a list that may contain flags and the priority.
template <typename Callee, typename Properties>
cl_command_queue create_queue(cl_context context, cl_device_id device, Properties properties, cl_int* status) {
    return note_queue(Callee::driver()(context, device, properties, status), properties);
}

template <typename Callee>
cl_int retain_queue(cl_command_queue queue) {
    const cl_int code = Callee::driver()(queue);
    if (code == CL_SUCCESS) queue_retained(queue);
    return code;
}

template <typename Callee>
cl_int release_queue(cl_command_queue queue) {
    const int saved = errno;
    XLOG_DEBG("%s of queue %p", Callee::kName, static_cast<void*>(queue));
    queue_releasing(queue);
    errno = saved;
    return Callee::driver()(queue);
}

template <typename Callee>
cl_int set_queue_property(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
                          cl_command_queue_properties* old) {
    const cl_int code = Callee::driver()(queue, flags, enable, old);
    const int saved = errno;
    if (code == CL_SUCCESS && (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) queue_changed(queue);
    errno = saved;
    return code;
}

// Returns our function of that name if there is one, otherwise the driver's: with the driver's function the program
// would bypass the shim. The last argument is the name.
template <typename Callee, typename... Platform>
void* get_extension(Platform... platform_and_name) {
    const char* name = nullptr;
    ((name = name_in(platform_and_name)), ...);
    return ours_instead(Callee::driver()(platform_and_name...), name);
}

}  // namespace xsched::opencl
