#include "queue/pool.h"

#include <new>

namespace xsched::queue {
namespace {

base::Mutex g_mutex;
std::atomic<XQueue*> g_queues[ipc::kMostQueues];
bool g_taken[ipc::kMostQueues];  // guarded by g_mutex
std::atomic<uint32_t> g_size{0};

}  // namespace

XQueue* take_from_pool() {
    base::Lock lock(g_mutex);
    for (uint32_t i = 0; i < ipc::kMostQueues; ++i) {
        if (g_taken[i]) continue;
        XQueue* queue = g_queues[i].load(std::memory_order_relaxed);
        if (queue != nullptr && !queue->words_free()) continue;
        if (queue == nullptr) {
            queue = new (std::nothrow) XQueue(i);
            if (queue == nullptr) return nullptr;
            g_queues[i].store(queue, std::memory_order_release);
        }
        g_taken[i] = true;
        if (i >= g_size.load(std::memory_order_relaxed)) g_size.store(i + 1, std::memory_order_release);
        return queue;
    }
    return nullptr;
}

void release_to_pool(XQueue& queue) {
    base::Lock lock(g_mutex);
    g_taken[queue.index()] = false;
}

XQueue* queue_at(uint32_t index) {
    if (index >= ipc::kMostQueues) return nullptr;
    XQueue* queue = g_queues[index].load(std::memory_order_acquire);
    return queue != nullptr && queue->in_use() ? queue : nullptr;
}

XQueue* queue_from_handle(XQueueHandle handle) {
    XQueue* queue = handle != 0 ? queue_at(static_cast<uint32_t>(handle & 0xfff) - 1) : nullptr;
    return queue != nullptr && queue->handle() == handle ? queue : nullptr;
}

XQueue* queue_of_hwq(HwQueueHandle hwq) {
    for (uint32_t i = 0; i < pool_size(); ++i)
        if (XQueue* queue = queue_at(i); queue != nullptr && queue->hwq() == hwq) return queue;
    return nullptr;
}

uint32_t pool_size() { return g_size.load(std::memory_order_acquire); }

}  // namespace xsched::queue
