#include "queue/pool.h"

#include <new>

#include "base/nowhere.h"
#include "queue/handle.h"
#include "queue/token.h"

namespace xsched::queue {
namespace {

base::Mutex g_pool_mutex;
std::atomic<XQueue*> g_queues[ipc::kMostQueues];
std::atomic<uint32_t> g_size{0};

// A page of the shared memory. Drivers register whole pages, and a context that goes ends its registrations, also for
// other queues with words on the page.
struct Page {
    uint64_t owner;  // 0: none yet
    uint64_t gone;   // 0: the owner exists; otherwise when it went, as a count
};
constexpr uint32_t kSlotsPerPage = ipc::kSlotsPageBytes / sizeof(ipc::QueueSlot);
Page g_pages[ipc::kMostQueues / kSlotsPerPage];  // guarded by g_pool_mutex
uint64_t g_gone = 0;

Page& page_of(uint32_t index) { return g_pages[index / kSlotsPerPage]; }

bool is_free(uint32_t index) {
    XQueue* queue = g_queues[index].load(std::memory_order_relaxed);
    return queue == nullptr || queue->is_free();
}

// Returns a free index on a page that fits. g_pool_mutex held.
template <typename Fits>
uint32_t find_index(Fits fits) {
    for (uint32_t i = 0; i < ipc::kMostQueues; ++i)
        if (fits(page_of(i)) && is_free(i)) return i;
    return base::kNowhere;
}

bool is_unused(uint32_t page) {
    for (uint32_t i = 0; i < kSlotsPerPage; ++i)
        if (!is_free(page * kSlotsPerPage + i)) return false;
    return true;
}

// Returns the first index of the unused page whose owner (a context) ended longest ago; kNowhere: there is no such
// page. Of all such pages, the driver is most likely to have ended the registration of this one.
uint32_t find_gone() {
    uint32_t best = base::kNowhere;
    for (uint32_t i = 0; i < ipc::kMostQueues / kSlotsPerPage; ++i) {
        const bool better = best == base::kNowhere || g_pages[i].gone < page_of(best).gone;
        if (g_pages[i].gone != 0 && better && is_unused(i)) best = i * kSlotsPerPage;
    }
    return best;
}

}  // namespace

XQueue* take_from_pool(uint64_t words_owner) {
    base::Lock lock(g_pool_mutex);
    uint32_t index = base::kNowhere;
    if (words_owner != 0) index = find_index([=](Page& page) { return page.owner == words_owner; });
    if (index == base::kNowhere) index = find_index([](Page& page) { return page.owner == 0; });
    if (index == base::kNowhere) index = find_gone();
    if (index == base::kNowhere) index = find_index([](Page&) { return true; });
    if (index == base::kNowhere) return nullptr;
    XQueue* queue = g_queues[index].load(std::memory_order_relaxed);
    if (queue == nullptr) {
        queue = new (std::nothrow) XQueue(index);
        if (queue == nullptr) return nullptr;
        g_queues[index].store(queue, std::memory_order_release);
    }
    queue->take();
    if (words_owner != 0) page_of(index) = Page{words_owner, 0};
    if (index >= g_size.load(std::memory_order_relaxed)) g_size.store(index + 1, std::memory_order_release);
    return queue;
}

void words_owner_gone(uint64_t owner) {
    base::Lock lock(g_pool_mutex);
    ++g_gone;
    for (Page& page : g_pages)
        if (page.owner == owner && page.gone == 0) page.gone = g_gone;
}

XQueue* queue_at(uint32_t index) {
    if (index >= ipc::kMostQueues) return nullptr;
    XQueue* queue = g_queues[index].load(std::memory_order_acquire);
    return queue != nullptr && queue->in_use() ? queue : nullptr;
}

XQueue* queue_from_handle(XQueueHandle handle) {
    XQueue* queue = handle != 0 ? queue_at(handle_index(handle)) : nullptr;
    return queue != nullptr && queue->handle() == handle ? queue : nullptr;
}

XQueue* queue_of_hwq(HwQueueHandle hwq) {
    for (uint32_t i = 0; i < pool_size(); ++i)
        if (XQueue* queue = queue_at(i); queue != nullptr && queue->hwq() == hwq) return queue;
    return nullptr;
}

void complete_token(XqToken token) {
    if (XQueue* queue = queue_at(token_index(token))) queue->complete(token_generation(token), token_covers(token));
}

uint32_t pool_size() { return g_size.load(std::memory_order_acquire); }

}  // namespace xsched::queue
