// OpenCL's hooks, by the names that api/opencl.json has for them ("hook"). Each is a template over the function below
// us (Callee: its Type, kName and driver()); the types of its arguments are the vendor's own.
//
//   scheduled             a command: the arguments end in a wait list and an event (launch.h); "blocking" in the row
//   says
//                         which argument tells whether the call blocks
//   copy                  the same of reads, writes and copies of buffers, which go in pieces while others compete
//                         (copies.h)
//   wait_command          a marker, a barrier
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
#include "platform/opencl/shim/trace.h"

namespace xsched::opencl {

template <typename Callee, int kBlockingAt = kNeverBlocks>
inline constexpr auto scheduled = &Enqueue<Callee, kBlockingAt>::call;

template <typename Callee, int kBlockingAt = kNeverBlocks>
inline constexpr auto copy = &InPieces<Callee, kBlockingAt>::call;

template <typename Callee>
inline constexpr auto traced = &Traced<Callee>::call;

// A marker or barrier does no work and is never held: without a wait list it means everything before it, which a
// hold would change, and with one it ends when the listed events do.
template <typename Callee, typename... Rest>
cl_int wait_command(cl_command_queue queue, cl_uint count, const cl_event* events, Rest... rest) {
    if (count > 0 && events != nullptr) {
        const int saved = errno;
        producers_inherit(known_xqueue_of(queue), count, events);
        errno = saved;
    }
    return Callee::driver()(queue, count, events, rest...);
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

// `properties`: flags, or a list that may have them and the priority.
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

// A program that asks for a function by name gets ours where there is one, or it would pass us by. The last argument is
// the name.
template <typename Callee, typename... Platform>
void* get_extension(Platform... platform_and_name) {
    const char* name = nullptr;
    ((name = name_in(platform_and_name)), ...);
    return ours_instead(Callee::driver()(platform_and_name...), name);
}

}  // namespace xsched::opencl
