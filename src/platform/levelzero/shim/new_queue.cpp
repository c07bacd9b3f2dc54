#include "platform/levelzero/shim/new_queue.h"

#include <cerrno>

#include "base/confinement.h"
#include "base/log.h"
#include "base/options.h"
#include "xsched/hint.h"

namespace xsched::levelzero {
namespace {

Priority priority_in(const ze_command_queue_desc_t& desc) {
    switch (desc.priority) {
        case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH: return 1;
        case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW: return -1;
        default: return PRIORITY_DEFAULT;
    }
}

}  // namespace

ze_command_queue_desc_t with_priority(const ze_command_queue_desc_t& wanted) {
    ze_command_queue_desc_t desc = wanted;
    if (desc.priority != ZE_COMMAND_QUEUE_PRIORITY_NORMAL) return desc;
    const int64_t priority = base::options().priority;
    if (priority < PRIORITY_DEFAULT || base::options().background != 0)
        desc.priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW;
    else if (priority > PRIORITY_DEFAULT)
        desc.priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH;
    return desc;
}

void note_queue(const void* handle, ze_context_handle_t context, ze_device_handle_t device,
                ze_command_list_handle_t list, const ze_command_queue_desc_t& wanted) {
    const int saved = errno;
    // Closed lists run one after the other in a queue. An immediate list keeps order if it is asked to.
    const bool in_order = list == nullptr || (wanted.flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0;
    add_queue(handle, {context, device, list, wanted.ordinal, in_order}, priority_in(wanted));
    xq_begin(false);
    base::ask_about_sandbox(xq_entered_sandbox);
    XLOG_DEBG("%s %p created with flags 0x%x, priority %u", list != nullptr ? "immediate list" : "queue", handle,
              wanted.flags, wanted.priority);
    errno = saved;
}

}  // namespace xsched::levelzero
