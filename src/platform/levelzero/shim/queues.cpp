#include "platform/levelzero/shim/queues.h"

#include <new>

#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/stream/shim/wrapped_queue.h"
#include "xsched/hint.h"

namespace xsched::levelzero {
namespace {

constinit base::PointerMap<Queue> g_queues;
constinit base::Mutex g_mutex;
constinit Queue* g_first = nullptr;  // guarded by it
constinit std::atomic<uint32_t> g_scheduled{0};

void schedule(Queue& queue) {
    if (!base::options().auto_xqueue_on) return;
    HwQueueHandle hwq = 0;
    const XResult result = xze_wrap(&hwq, &queue.queue, reinterpret_cast<uint64_t>(queue.handle), &queue.waits);
    if (stream::schedule_wrapped(queue, queue.handle, result, hwq, queue.vendor_priority, xze_serve))
        g_scheduled.fetch_add(1);
}

[[gnu::noinline]] void make_ready(Queue& queue) {
    if (!queue.first_use.begin()) return;
    schedule(queue);
    queue.first_use.over();
}

void end(Queue* queue) {
    if (queue->xqueue != nullptr) {
        xze_end(queue->hwq);
        xq_retire(queue->xqueue, kXqNoLastReport);
        g_scheduled.fetch_sub(1);
    }
    delete queue;
}

// Takes the first queue for which `which` is true out of the list.
template <typename Which>
Queue* take(Which which) {
    base::Lock lock(g_mutex);
    for (Queue** link = &g_first; *link != nullptr; link = &(*link)->next) {
        Queue* queue = *link;
        if (!which(*queue)) continue;
        *link = queue->next;
        g_queues.erase(queue->handle);
        return queue;
    }
    return nullptr;
}

}  // namespace

void add_queue(const void* handle, const XzeQueue& description, Priority vendor_priority) {
    end_queue(handle);  // one whose end was not seen: its address would not be free if it were still there
    auto* queue = new (std::nothrow) Queue;
    if (queue == nullptr) return;
    queue->queue = description;
    queue->handle = handle;
    queue->vendor_priority = vendor_priority;
    {
        base::Lock lock(g_mutex);
        queue->next = g_first;
        g_first = queue;
    }
    g_queues.insert(handle, queue);
}

Queue* known_queue(const void* handle) { return handle != nullptr ? g_queues.find(handle) : nullptr; }

Queue* scheduled_queue(const void* handle) {
    Queue* queue = known_queue(handle);
    if (queue == nullptr) return nullptr;
    if (!queue->first_use.is_over()) [[unlikely]]
        make_ready(*queue);
    return queue->xqueue != nullptr ? queue : nullptr;
}

void look_at_queues() {
    if (g_scheduled.load(std::memory_order_relaxed) == 0) return;
    xze_look_at_all();
}

void end_queue(const void* handle) {
    if (known_queue(handle) == nullptr) return;
    if (Queue* queue = take([&](const Queue& it) { return it.handle == handle; })) end(queue);
}

void end_queues_of(ze_context_handle_t context) {
    while (Queue* queue = take([&](const Queue& it) { return it.queue.context == context; })) end(queue);
}

}  // namespace xsched::levelzero
