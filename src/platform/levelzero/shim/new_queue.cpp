#include "platform/levelzero/shim/new_queue.h"

#include <cerrno>

#include "base/confinement.h"
#include "base/log.h"
#include "platform/levelzero/shim/entry_points.h"
#include "platform/levelzero/shim/low_priority.h"

namespace xsched::levelzero {
namespace {

Priority priority_in(const ze_command_queue_desc_t& desc) {
    switch (desc.priority) {
        case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH: return 1;
        case ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW: return -1;
        default: return PRIORITY_DEFAULT;
    }
}

bool is_npu(ze_device_handle_t device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    const auto ask = below<kEntry_zeDeviceGetProperties>();
    return ask != nullptr && ask(device, &properties) == ZE_RESULT_SUCCESS && properties.type == ZE_DEVICE_TYPE_VPU;
}

}  // namespace

ze_command_queue_desc_t with_priority(ze_device_handle_t device, const ze_command_queue_desc_t& wanted) {
    ze_command_queue_desc_t desc = wanted;
    if (desc.priority != ZE_COMMAND_QUEUE_PRIORITY_NORMAL) return desc;
    const int64_t priority = base::options().priority;
    if (is_low(priority))
        desc.priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW;
    else if (priority > PRIORITY_DEFAULT && !is_npu(device))
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
