// Level Zero's hooks, by the names that api/levelzero.json has for them ("hook"). Each is a template over the function
// below us (Callee: its Type, kName and driver()).
//
//   scheduled                          appends a command; its arguments end in an event and a wait list (launch.h)
//   execute                            gives closed lists to a queue (launch.h)
//   synchronize                        waits for all of a queue or list
//   wait                               waits for a fence or an event
//   create_queue, create_immediate     (new_queue.h)
//   destroy_queue, destroy_list, destroy_context
//   extension                          may answer with a table of functions of ours (npu_workload.h)
//   begin_capture                      from then on a list may record (capture.h)
#pragma once

#include "platform/levelzero/shim/launch.h"
#include "platform/levelzero/shim/new_queue.h"
#include "platform/levelzero/shim/npu_workload.h"

namespace xsched::levelzero {

template <typename Callee>
inline constexpr auto scheduled = &AppendHook<Callee>::call;

template <typename Callee>
inline constexpr auto execute = &execute_lists;

template <typename Callee, typename Handle>
ze_result_t synchronize(Handle handle, uint64_t timeout) {
    const Queue* queue = known_queue(handle);
    if (queue == nullptr || queue->xqueue == nullptr) return Callee::driver()(handle, timeout);
    const uint64_t mark = xq_sync_begin(queue->xqueue);
    const ze_result_t result = Callee::driver()(handle, timeout);
    const int saved = errno;
    if (result == ZE_RESULT_SUCCESS) {
        xze_look(queue->hwq);
        xq_sync_end(queue->xqueue, mark);
    }
    errno = saved;
    return result;
}

template <typename Callee, typename Handle>
ze_result_t wait(Handle handle, uint64_t timeout) {
    const ze_result_t result = Callee::driver()(handle, timeout);
    const int saved = errno;
    if (result == ZE_RESULT_SUCCESS) look_at_queues();
    errno = saved;
    return result;
}

template <typename Callee>
ze_result_t create_queue(ze_context_handle_t context, ze_device_handle_t device, const ze_command_queue_desc_t* desc,
                         ze_command_queue_handle_t* made) {
    const ze_result_t result = create_with_priority(
        device, desc, [&](const ze_command_queue_desc_t* it) { return Callee::driver()(context, device, it, made); });
    if (result == ZE_RESULT_SUCCESS) note_queue(*made, context, device, nullptr, *desc);
    return result;
}

template <typename Callee>
ze_result_t create_immediate(ze_context_handle_t context, ze_device_handle_t device,
                             const ze_command_queue_desc_t* desc, ze_command_list_handle_t* made) {
    const ze_result_t result = create_with_priority(
        device, desc, [&](const ze_command_queue_desc_t* it) { return Callee::driver()(context, device, it, made); });
    if (result == ZE_RESULT_SUCCESS) note_queue(*made, context, device, *made, *desc);
    return result;
}

template <typename Callee, typename Handle>
ze_result_t destroy(Handle handle) {
    const int saved = errno;
    end_queue(handle);
    errno = saved;
    return Callee::driver()(handle);
}
template <typename Callee>
inline constexpr auto destroy_queue = &destroy<Callee, ze_command_queue_handle_t>;
template <typename Callee>
inline constexpr auto destroy_list = &destroy<Callee, ze_command_list_handle_t>;

template <typename Callee>
ze_result_t destroy_context(ze_context_handle_t context) {
    const int saved = errno;
    end_queues_of(context);
    errno = saved;
    return Callee::driver()(context);
}

template <typename Callee>
ze_result_t extension(ze_driver_handle_t driver, const char* name, void** address) {
    const ze_result_t result = Callee::driver()(driver, name, address);
    const int saved = errno;
    if (result == ZE_RESULT_SUCCESS && address != nullptr)
        *address = extension_table(driver, name, kAnyVersion, *address);
    errno = saved;
    return result;
}

template <typename Callee, typename... Arguments>
ze_result_t begin_capture(ze_command_list_handle_t list, Arguments... arguments) {
    g_recorded.store(true);
    return Callee::driver()(list, arguments...);
}

}  // namespace xsched::levelzero
