#include "platform/vulkan/shim/queues.h"

#include <new>

#include "base/options.h"
#include "base/pointer_map.h"
#include "platform/stream/shim/wrapped_queue.h"
#include "xsched/hint.h"

namespace xsched::vulkan {
namespace {

constinit base::PointerMap<Queue> g_queues;
constinit base::Mutex g_first_use;

// All queues of a process are equally urgent: the priorities that Vulkan has are those of one device's queues among
// each other, and a queue that waited for a suspended one would wait for ever.
void schedule(Queue& queue, const Device& device) {
    HwQueueHandle hwq = 0;
    const XResult result = xvk_wrap(&hwq, &device.driver, queue.queue);
    stream::schedule_wrapped(queue, queue.queue, result, hwq, PRIORITY_DEFAULT, xvk_serve);
}

Queue* first_use(Device& device, VkQueue handle) {
    base::Lock lock(g_first_use);
    if (Queue* known = g_queues.find(handle)) return known;
    auto* queue = new (std::nothrow) Queue{.queue = handle};
    if (queue == nullptr) return nullptr;
    if (device.scheduled && base::options().auto_xqueue_on) schedule(*queue, device);
    queue->next = device.queues.load(std::memory_order_relaxed);
    device.queues.store(queue, std::memory_order_release);
    g_queues.insert(handle, queue);
    return queue;
}

}  // namespace

Queue* scheduled_queue(Device& device, VkQueue handle) {
    Queue* queue = g_queues.find(handle);
    if (queue == nullptr) [[unlikely]]
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
