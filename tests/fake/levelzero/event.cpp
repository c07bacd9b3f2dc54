// Events and fences.
#include "fake/levelzero/engine.h"

using fake::changed;
using fake::graph_mutex;

namespace {

ze_result_t reset(bool& signalled) {
    const std::lock_guard lock(graph_mutex());
    signalled = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t query(const bool& signalled) {
    const std::lock_guard lock(graph_mutex());
    return signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t synchronize(const bool& signalled, uint64_t timeout) {
    std::unique_lock lock(graph_mutex());
    return fake::wait_for(lock, timeout, [&] { return signalled; }) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

}  // namespace

extern "C" {

ze_result_t zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t* desc, ze_event_handle_t* made) {
    if (!FAKE_GOOD(pool, kPool)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (desc->index >= pool->count) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    auto* event = new _ze_event_handle_t;
    event->pool = pool;
    pool->events.fetch_add(1);
    *made = event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventDestroy(ze_event_handle_t event) {
    if (!FAKE_GOOD(event, kEvent)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    {
        const std::lock_guard lock(graph_mutex());
        if (event->used_by != 0) fake::misuse("zeEventDestroy while %d commands use the event", event->used_by);
    }
    event->pool->events.fetch_sub(1);
    delete event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostSignal(ze_event_handle_t event) {
    if (!FAKE_GOOD(event, kEvent)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const std::lock_guard lock(graph_mutex());
    event->signalled = true;
    changed().notify_all();
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostReset(ze_event_handle_t event) {
    if (!FAKE_GOOD(event, kEvent)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const std::lock_guard lock(graph_mutex());
    if (event->used_by != 0) fake::misuse("zeEventHostReset while %d commands use the event", event->used_by);
    event->signalled = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryStatus(ze_event_handle_t event) {
    return FAKE_GOOD(event, kEvent) ? query(event->signalled) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout) {
    return FAKE_GOOD(event, kEvent) ? synchronize(event->signalled, timeout) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t zeFenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t*, ze_fence_handle_t* made) {
    if (!FAKE_GOOD(queue, kQueue)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    *made = new _ze_fence_handle_t;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceDestroy(ze_fence_handle_t fence) {
    if (!FAKE_GOOD(fence, kFence)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    delete fence;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceReset(ze_fence_handle_t fence) {
    return FAKE_GOOD(fence, kFence) ? reset(fence->signalled) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t zeFenceQueryStatus(ze_fence_handle_t fence) {
    return FAKE_GOOD(fence, kFence) ? query(fence->signalled) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout) {
    return FAKE_GOOD(fence, kFence) ? synchronize(fence->signalled, timeout) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}
}
