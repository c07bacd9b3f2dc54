// Which XQueue a command queue or an immediate command list belongs to. The entry is made when the program creates the
// queue or list, the XQueue at the first use. Looking one up takes no lock. Any thread; Level Zero demands that nothing
// else is called for an object while it is destroyed.
#pragma once

#include "base/first_use.h"
#include "platform/levelzero/hal/hal_abi.h"

namespace xsched::levelzero {

struct Queue {
    XzeQueue queue;
    const void* handle = nullptr;  // the program's
    Priority vendor_priority = PRIORITY_DEFAULT;
    XqQueue* xqueue = nullptr;  // nullptr: it is not scheduled
    void* hwq = nullptr;  // xq_hwq_impl's
    bool waits = false;  // nothing is held in the driver: callers wait
    std::atomic<uint32_t> wanted_type{0};  // an NPU's workload types: the program's wish (npu_workload.h),
    std::atomic<uint32_t> given_type{0};  // and what the queue has
    std::atomic<bool> changes_type{false};  // a thread is in the driver's call
    base::FirstUse first_use;
    Queue* next = nullptr;
};

// Notes a queue or list that the driver has just made.
void add_queue(const void* handle, const XzeQueue& queue, Priority vendor_priority);
// Returns the queue, made ready at its first use. nullptr: it is not scheduled, or a list that is not immediate.
Queue* scheduled_queue(const void* handle);
// Returns the queue but makes nothing ready.
Queue* known_queue(const void* handle);
// Reports what is complete on all queues.
void look_at_queues();
// Call before the driver destroys the queue or list, or the context with all that is in it.
void end_queue(const void* handle);
void end_queues_of(ze_context_handle_t context);

}  // namespace xsched::levelzero
