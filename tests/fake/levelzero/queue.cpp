// Command queues, and closed lists for them.
#include "fake/levelzero/engine.h"
#include "fake/levelzero/npu.h"
#include "fake/levelzero/settings.h"

namespace {

std::atomic<int> g_last_priority{0};

bool refused(const ze_command_queue_desc_t& desc) {
    if (fake::g_settings.no_priority && desc.priority != ZE_COMMAND_QUEUE_PRIORITY_NORMAL) return true;
    g_last_priority.store(desc.priority);
    return false;
}

std::unique_ptr<fake::Stream> stream_on(ze_device_handle_t device, bool in_order) {
    auto stream = std::make_unique<fake::Stream>(fake::device_at(device->index), in_order);
    stream->device().add(stream.get());
    return stream;
}

template <typename Object>
Object* make_in(ze_context_handle_t context) {
    auto* object = new Object;
    object->context = context;
    context->objects.fetch_add(1);
    return object;
}

}  // namespace

extern "C" {

int fake_ze_last_priority(void) { return g_last_priority.load(); }

ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                 const ze_command_queue_desc_t* desc, ze_command_queue_handle_t* made) {
    if (!FAKE_GOOD(context, kContext)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (refused(*desc)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (fake::device_at(device->index).type == ZE_DEVICE_TYPE_VPU && !fake::create_on_npu(desc->priority))
        return ZE_RESULT_ERROR_UNINITIALIZED;
    auto* queue = make_in<_ze_command_queue_handle_t>(context);
    queue->stream = stream_on(device, false);
    queue->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *made = queue;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue) {
    if (!FAKE_GOOD(queue, kQueue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!queue->stream->idle()) fake::misuse("zeCommandQueueDestroy of a queue that has work");
    queue->stream->device().remove(queue->stream.get());
    queue->context->objects.fetch_sub(1);
    delete queue;
    return ZE_RESULT_SUCCESS;
}

// Enqueues command lists, each of which runs when the one before it is complete.
ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t count,
                                              ze_command_list_handle_t* lists, ze_fence_handle_t fence) {
    if (!FAKE_GOOD(queue, kQueue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    std::vector<fake::Command> all;
    for (uint32_t i = 0; i < count; ++i) {
        if (!FAKE_GOOD(lists[i], kList)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        if (!lists[i]->closed) fake::misuse("zeCommandQueueExecuteCommandLists with a list that is not closed");
        if (lists[i]->context != queue->context) fake::misuse("a list of another context than its queue's");
        all.insert(all.end(), lists[i]->commands.begin(), lists[i]->commands.end());
        all.push_back({.barrier = true});
    }
    all.back().fence = fence;
    queue->stream->submit(std::move(all));
    if (queue->synchronous) queue->stream->wait_idle(UINT64_MAX);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout) {
    if (!FAKE_GOOD(queue, kQueue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    return queue->stream->wait_idle(timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t, const ze_command_list_desc_t*,
                                ze_command_list_handle_t* made) {
    if (!FAKE_GOOD(context, kContext)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    *made = make_in<_ze_command_list_handle_t>(context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                         const ze_command_queue_desc_t* desc, ze_command_list_handle_t* made) {
    if (!FAKE_GOOD(context, kContext)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (refused(*desc)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    auto* list = make_in<_ze_command_list_handle_t>(context);
    list->in_order = (desc->flags & kFakeZeInOrder) != 0;
    list->stream = stream_on(device, list->in_order);
    list->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *made = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list) {
    if (!FAKE_GOOD(list, kList)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->stream) {
        if (!list->stream->idle()) fake::misuse("zeCommandListDestroy of an immediate list that has work");
        list->stream->device().remove(list->stream.get());
    }
    list->context->objects.fetch_sub(1);
    delete list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListClose(ze_command_list_handle_t list) {
    if (!FAKE_GOOD(list, kList)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    list->closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListReset(ze_command_list_handle_t list) {
    if (!FAKE_GOOD(list, kList)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    list->closed = false;
    list->commands.clear();
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout) {
    if (!FAKE_GOOD(list, kList)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!list->stream) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return list->stream->wait_idle(timeout) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void*) {
    list->records = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListIsGraphCaptureEnabledExt(ze_command_list_handle_t list) {
    return static_cast<ze_result_t>(list->records ? 0x78000022 : 0x78000023);  // ZE_RESULT_QUERY_TRUE, _FALSE
}
}
