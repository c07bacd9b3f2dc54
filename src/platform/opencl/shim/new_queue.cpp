#include "platform/opencl/shim/new_queue.h"

#include <cerrno>

#include "base/confinement.h"
#include "base/log.h"
#include "queue/abi/queue_abi.h"

namespace xsched::opencl {
namespace {

Priority priority_in(const cl_queue_properties* properties) {
    for (; properties != nullptr && properties[0] != 0; properties += 2) {
        if (properties[0] != CL_QUEUE_PRIORITY_KHR) continue;
        if (properties[1] & CL_QUEUE_PRIORITY_HIGH_KHR) return 1;
        if (properties[1] & CL_QUEUE_PRIORITY_LOW_KHR) return -1;
    }
    return PRIORITY_DEFAULT;
}

cl_command_queue_properties flags_in(const cl_queue_properties* properties) {
    for (; properties != nullptr && properties[0] != 0; properties += 2)
        if (properties[0] == CL_QUEUE_PROPERTIES) return properties[1];
    return 0;
}

cl_command_queue note(cl_command_queue queue, cl_command_queue_properties flags, Priority priority) {
    const int saved = errno;
    if (queue != nullptr) {
        queue_created(queue, priority);
        xq_begin(false);
        base::ask_about_sandbox(xq_entered_sandbox);
        XLOG_DEBG("queue %p created with properties 0x%llx, priority %d", static_cast<void*>(queue),
                  static_cast<unsigned long long>(flags), priority);
    }
    errno = saved;
    return queue;
}

}  // namespace

cl_command_queue note_queue(cl_command_queue queue, cl_command_queue_properties flags) {
    return note(queue, flags, PRIORITY_DEFAULT);
}

cl_command_queue note_queue(cl_command_queue queue, const cl_queue_properties* properties) {
    return note(queue, flags_in(properties), priority_in(properties));
}

}  // namespace xsched::opencl
