#include "platform/vulkan/shim/queues.h"

#include <new>

#include "base/mutex.h"
#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/stream/shim/wrapped_queue.h"
#include "xsched/hint.h"

namespace xsched::vulkan {
namespace {

constinit base::PointerMap<Queue> g_queues;
constinit base::Mutex g_adding;

// All queues of a process are equally urgent: the priorities that Vulkan has are those of one device's queues among
// each other, and a queue that waited for a suspended one would wait for ever.
void schedule(Queue& queue, const Device& device) {
    HwQueueHandle hwq = 0;
    const XResult result = xvk_wrap(&hwq, &device.driver, queue.queue);
    stream::schedule_wrapped(queue, queue.queue, result, hwq, PRIORITY_DEFAULT, xvk_serve);
}

// Returns the queue's entry. Adds it if the queue is seen for the first time, maybe by several threads at once.
Queue* entry_for(VkQueue handle) {
    base::Lock lock(g_adding);
    if (Queue* known = g_queues.find(handle)) return known;
    auto* queue = new (std::nothrow) Queue{.queue = handle};
    if (queue == nullptr || g_queues.insert(handle, queue)) return queue;
    delete queue;
    return nullptr;
}

Queue* first_use(Device& device, VkQueue handle) {
    Queue* queue = entry_for(handle);
    if (queue == nullptr || !queue->first_use.begin()) return queue;
    if (device.scheduled && base::options().auto_xqueue_on) schedule(*queue, device);
    queue->next = device.queues.load(std::memory_order_relaxed);
    while (!device.queues.compare_exchange_weak(queue->next, queue, std::memory_order_release)) {
    }
    queue->first_use.over();
    return queue;
}

}  // namespace

Queue* scheduled_queue(Device& device, VkQueue handle) {
    Queue* queue = g_queues.find(handle);
    if (queue == nullptr || !queue->first_use.is_over()) [[unlikely]]
        queue = first_use(device, handle);
    return queue != nullptr && queue->xqueue != nullptr ? queue : nullptr;
}

void look_at_queues(const Device& device) {
    for (const Queue* queue = device.queues.load(std::memory_order_acquire); queue != nullptr; queue = queue->next)
        if (queue->hwq != nullptr) xvk_look(queue->hwq);
}

void end_queues(Device& device) {
    Queue* queue = device.queues.exchange(nullptr);
    while (queue != nullptr) {
        Queue* const next = queue->next;
        g_queues.erase(queue->queue);
        if (queue->xqueue != nullptr) {
            xvk_end(queue->hwq);
            xq_retire(queue->xqueue, kXqNoLastReport);
        }
        delete queue;
        queue = next;
    }
}

}  // namespace xsched::vulkan
